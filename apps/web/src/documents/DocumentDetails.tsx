import { useRef, useState } from "react";
import { change, q } from "../api/http";
import type { Document } from "../api/types";
import { moment, size } from "../format";
import { useFailure } from "../live/useFailure";
import { Button } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { FileName } from "../ui/FileName";
import { Icon, type IconName } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { download } from "./download";
import { Health } from "./Health";
import { LOOKS, statusOf } from "./status";

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

/** What a row shows when it is opened: what can be done to the document, and how it was read. */
export function DocumentDetails({ id, document, actions }: { id: string; document: Document; actions: RowActions }) {
  const { mayChange, mayDelete, mayHold, onDelete, onChanged, onMove, onNewVersion } = actions;
  const [deleting, setDeleting] = useState(false);
  const [renaming, setRenaming] = useState<string | null>(null);
  const { failure, fail, clear } = useFailure();
  const version = useRef<HTMLInputElement>(null);
  const { kind, label, reason } = statusOf(document);

  const doing = (work: () => Promise<unknown>) => () => {
    clear();
    work().catch(fail);
  };

  return (
    <>
      <div id={id} className="space-y-3 border-t border-rule bg-sunk px-4 py-3">
        {failure && <Notice kind="error" onDismiss={clear}>{failure}</Notice>}
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
        <p className="text-xs text-soft [overflow-wrap:anywhere]"><FileName name={document.filename} />{`, ${size(document.size_bytes)}`}</p>
        <p className="text-xs text-soft">{`Added ${moment(document.created_at)}`}{document.attached_to && `, attached to ${document.attached_to.filename}`}</p>
        <Health documentId={document.id} stamp={document.status} />
      </div>
      {deleting && (
        <Confirm title="Delete this document?" action="Delete" onClose={() => setDeleting(false)} onConfirm={doing(() => onDelete(document))}>
          <strong className="font-semibold text-ink [overflow-wrap:anywhere]">{document.filename}</strong> is hidden at once, and its file, text and index are then removed for good, with what is attached to it. A receipt is kept.
        </Confirm>
      )}
    </>
  );
}

function Small({ icon, onClick, children }: { icon: IconName; onClick: () => void; children: string }) {
  return <Button onClick={onClick} className="!min-h-8 px-2.5 text-[0.8125rem]"><Icon name={icon} size={14} />{children}</Button>;
}

/** Length of a name without its extension. */
const stemOf = (filename: string): number => filename.replace(/\.[A-Za-z0-9]{1,8}$/, "").length;
