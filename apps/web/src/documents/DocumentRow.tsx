import { memo } from "react";
import { type Document, READABLE } from "../api/types";
import { Elided } from "../ui/Elided";
import { Icon, Spinner } from "../ui/Icon";
import { DocumentDetails, type RowActions } from "./DocumentDetails";
import { LOOKS, statusOf } from "./status";

interface Props {
  document: Document;
  /** Its short name. */
  name: string;
  /** What is said of it beside its name. */
  about: string;
  open: boolean;
  onOpen: (id: string) => void;
  /** null: nothing is being ticked. */
  ticked: boolean | null;
  onTick: (id: string, on: boolean) => void;
  actions: RowActions;
}

export const DocumentRow = memo(function DocumentRow({ document, name, about, open, onOpen, ticked, onTick, actions }: Props) {
  const { onPreview } = actions;
  const details = `details-${document.id}`;
  const { kind, label, reason } = statusOf(document);
  const readable = READABLE.has(document.status) || document.has_revision;

  return (
    <>
      <div className="flex items-start">
        {ticked !== null && <input type="checkbox" aria-label={`Tick ${document.filename}`} checked={ticked} onChange={(event) => onTick(document.id, event.target.checked)} className="mt-2.5 mr-1.5 ml-4 size-4 shrink-0 accent-[var(--accent)]" />}
        <button
          type="button"
          disabled={!readable}
          onClick={() => onPreview(document)}
          title={readable ? `Show ${document.filename}` : document.filename}
          className="flex min-w-0 flex-1 items-start gap-2.5 py-1.5 pr-1 pl-4 text-left enabled:hover:bg-wash disabled:cursor-default"
        >
          <span className={`mt-0.5 ${LOOKS[kind]}`} title={reason ? `${label}: ${reason}` : label}>
            {kind === "busy" ? <Spinner size={17} /> : <Icon name={kind === "good" ? "check" : kind === "partial" ? "warning" : "error"} size={17} />}
            <span className="sr-only">{label}</span>
          </span>
          <span className="min-w-0 flex-1">
            <span className="block @xl:flex @xl:items-baseline @xl:gap-4">
              <span className="block min-w-0 text-sm leading-5 font-medium @xl:flex-1"><Elided name={name} /></span>
              <span className="block truncate text-xs leading-4 text-soft @xl:shrink-0">{about}</span>
            </span>
            {kind !== "good" && (
              <span className={`block text-xs [overflow-wrap:anywhere] ${LOOKS[kind]}`} data-testid="status">{reason && kind !== "busy" ? `${label}: ${reason}` : label}</span>
            )}
          </span>
          {document.legal_hold && <span title="Under a legal hold" className="mt-0.5 text-soft"><Icon name="lock" size={15} /><span className="sr-only">Under a legal hold</span></span>}
        </button>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={details}
          aria-label={`More about ${document.filename}`}
          title="Details and actions"
          onClick={() => onOpen(document.id)}
          className="mt-0.5 mr-2 grid size-8 shrink-0 place-items-center rounded-md text-soft hover:bg-wash hover:text-ink"
        >
          <Icon name="down" size={15} className={`transition-transform ${open ? "rotate-180" : ""}`} />
        </button>
      </div>
      {open && <DocumentDetails id={details} document={document} actions={actions} />}
    </>
  );
});
