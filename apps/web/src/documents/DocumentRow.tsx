import { memo, useId, useRef, useState } from "react";
import { change, q, errorMessage } from "../api/http";
import { type Document, READABLE } from "../api/types";
import { day, moment, plural, size, typeName } from "../format";
import { Button } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { Icon, type IconName, Spinner } from "../ui/Icon";
import { FileName } from "../ui/FileName";
import { Notice } from "../ui/Notice";
import { download } from "./download";
import { Health } from "./Health";
import { statusOf } from "./status";

export interface RowActions {
  mayChange: boolean;
  mayDelete: boolean;
  mayHold: boolean;
  onPreview: (document: Document) => void;
  onDelete: (document: Document) => Promise<void>;
  onChanged: () => Promise<void>;
  /** Moves to another folder; none where there are no folders. */
  onMove: ((document: Document) => void) | undefined;
  onNewVersion: ((document: Document, file: File) => void) | undefined;
}

interface Props {
  document: Document;
  open: boolean;
  onOpen: (id: string) => void;
  /** null: nothing is being ticked. */
  ticked: boolean | null;
  onTick: (id: string, on: boolean) => void;
  actions: RowActions;
}

const LOOKS = { busy: "text-accent", good: "text-good", partial: "text-warn", failed: "text-bad" };

export const DocumentRow = memo(function DocumentRow({ document, open, onOpen, ticked, onTick, actions }: Props) {
  const { mayChange, mayDelete, mayHold, onPreview, onDelete, onChanged, onMove, onNewVersion } = actions;
  const [deleting, setDeleting] = useState(false);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [failure, setFailure] = useState("");
  const details = useId();
  const version = useRef<HTMLInputElement>(null);
  const { kind, label, reason } = statusOf(document);
  const about = [typeName(document.content_type, document.filename), size(document.size_bytes), document.paged && document.page_count ? plural(document.page_count, "page") : "", day(document.created_at)].filter(Boolean);
  const readable = READABLE.has(document.status) || document.has_revision;

  const doing = (work: () => Promise<unknown>) => () => {
    setFailure("");
    work().catch((error: unknown) => setFailure(errorMessage(error)));
  };

  return (
    <>
      <div className="flex items-start">
        {ticked !== null && <input type="checkbox" aria-label={`Tick ${document.filename}`} checked={ticked} onChange={(event) => onTick(document.id, event.target.checked)} className="mt-3.5 ml-4 size-4 shrink-0 accent-[var(--accent)]" />}
        <button
          type="button"
          disabled={!readable}
          onClick={() => onPreview(document)}
          title={readable ? `Show ${document.filename}` : document.filename}
          className="flex min-w-0 flex-1 items-start gap-2.5 py-2.5 pr-1 pl-4 text-left enabled:hover:bg-wash disabled:cursor-default"
        >
          <span className={`mt-0.5 ${LOOKS[kind]}`} title={reason ? `${label}: ${reason}` : label}>
            {kind === "busy" ? <Spinner size={17} /> : <Icon name={kind === "good" ? "check" : kind === "partial" ? "warning" : "error"} size={17} />}
            <span className="sr-only">{label}</span>
          </span>
          <span className="min-w-0 flex-1">
            <span className="line-clamp-3 text-sm font-medium [overflow-wrap:anywhere]"><FileName name={document.filename} /></span>
            <span className="block truncate text-xs text-soft">{about.join(" · ")}</span>
            {kind !== "good" && (
              <span className={`line-clamp-2 text-xs ${LOOKS[kind]}`} title={reason || undefined} data-testid="status">{reason && kind !== "busy" ? `${label}: ${reason}` : label}</span>
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
          className="mt-1.5 mr-2 grid size-8 shrink-0 place-items-center rounded-md text-soft hover:bg-wash hover:text-ink"
        >
          <Icon name="down" size={15} className={`transition-transform ${open ? "rotate-180" : ""}`} />
        </button>
      </div>
      {failure && <div className="px-4 pb-3"><Notice kind="error" onDismiss={() => setFailure("")}>{failure}</Notice></div>}
      {open && (
        <div id={details} className="space-y-3 border-t border-rule bg-sunk px-4 py-3">
          <div className="flex flex-wrap gap-1.5">
            <Small icon="download" onClick={doing(() => download(document))}>Download</Small>
            {mayChange && <Small icon="redo" onClick={doing(async () => { await change("POST", `/api/documents/${q(document.id)}/reingest`); await onChanged(); })}>Read again</Small>}
            {mayChange && <Small icon="pencil" onClick={() => setRenaming(document.filename)}>Rename</Small>}
            {onMove && mayChange && <Small icon="folder" onClick={() => onMove(document)}>Move</Small>}
            {onNewVersion && mayChange && <Small icon="upload" onClick={() => version.current?.click()}>New version</Small>}
            {onNewVersion && <input ref={version} type="file" hidden aria-hidden="true" tabIndex={-1} onChange={(event) => { const [file] = event.target.files ?? []; if (file) onNewVersion(document, file); event.target.value = ""; }} />}
            {mayHold && <Small icon="lock" onClick={doing(async () => { await change(document.legal_hold ? "DELETE" : "POST", `/api/documents/${q(document.id)}/hold`); await onChanged(); })}>{document.legal_hold ? "Lift hold" : "Hold"}</Small>}
            {mayDelete && <Small icon="trash" onClick={() => setDeleting(true)}>Delete</Small>}
          </div>
          {renaming !== null && (
            <form
              className="flex gap-1.5"
              onSubmit={(event) => {
                event.preventDefault();
                const filename = renaming.trim();
                if (!filename || filename === document.filename) return setRenaming(null);
                doing(async () => {
                  await change("PATCH", `/api/documents/${q(document.id)}`, { filename });
                  setRenaming(null);
                  await onChanged();
                })();
              }}
            >
              <input autoFocus onFocus={(event) => event.target.setSelectionRange(0, stemOf(document.filename))} aria-label="Name of the document" maxLength={255} value={renaming} onChange={(event) => setRenaming(event.target.value)}
                onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), setRenaming(null))} className="field min-w-0 flex-1 py-1 text-sm" />
              <Button type="submit" kind="primary" className="!min-h-8 px-2.5 text-[0.8125rem]">Save</Button>
            </form>
          )}
          {reason && kind !== "busy" && kind !== "good" && <p className={`text-sm [overflow-wrap:anywhere] ${LOOKS[kind]}`}>{`${label}: ${reason}`}</p>}
          {document.legal_hold && <p className="text-xs text-soft">Under a legal hold: it cannot be deleted until an owner of the matter lifts it.</p>}
          <p className="text-xs text-soft">{`Added ${moment(document.created_at)}`}{document.attached_to && `, attached to ${document.attached_to.filename}`}</p>
          <Health documentId={document.id} stamp={document.status} />
        </div>
      )}
      {deleting && (
        <Confirm title="Delete this document?" action="Delete" onClose={() => setDeleting(false)} onConfirm={doing(() => onDelete(document))}>
          <strong className="font-semibold text-ink [overflow-wrap:anywhere]">{document.filename}</strong> is hidden at once, and its file, text and index are then removed for good, with what is attached to it. A receipt is kept.
        </Confirm>
      )}
    </>
  );
});

function Small({ icon, onClick, children }: { icon: IconName; onClick: () => void; children: string }) {
  return <Button onClick={onClick} className="!min-h-8 px-2.5 text-[0.8125rem]"><Icon name={icon} size={14} />{children}</Button>;
}

/** Length of a name without its extension. */
const stemOf = (filename: string): number => filename.replace(/\.[A-Za-z0-9]{1,8}$/, "").length;
