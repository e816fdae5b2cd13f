import { useCallback, useMemo, useState } from "react";
import { change, q } from "../api/http";
import type { Document, Installation, Matter } from "../api/types";
import { count, plural } from "../format";
import { IconButton } from "../ui/Button";
import { Icon, Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { DocumentRow } from "./DocumentRow";
import type { Dropped } from "./dropped";
import { Dropzone } from "./Dropzone";
import { DuplicateDialog } from "./DuplicateDialog";
import { placed } from "./folders";
import { useFolders } from "./useFolders";
import { type Documents, listAddress, type Scope } from "./useDocuments";
import type { Upload, Uploads } from "./useUploads";

interface Props {
  scope: Scope | null;
  matter: Matter | undefined;
  documents: Documents;
  /** Held by the parent, so uploads continue while the panel is closed. */
  sent: Uploads;
  /** Returns the conversation that receives files if no matter is chosen. */
  conversation: () => Promise<string>;
  installation: Installation | null;
  onPreview: (document: Document) => void;
  onClose: (() => void) | undefined;
}

const FEW = 6;

export function DocumentsPanel({ scope, matter, documents, sent, conversation, installation, onPreview, onClose }: Props) {
  const [filter, setFilter] = useState("");
  const [refused, setRefused] = useState("");
  const [note, setNote] = useState("");
  const { paths, reload: reloadFolders } = useFolders(scope, documents.list);
  const { list, reload, drop } = documents;
  const { uploads, add, cancel, answer, retry } = sent;
  const owns = !matter || matter.role === "owner";
  const mayAdd = !matter || matter.role === "owner" || matter.role === "editor";
  const most = installation?.max_file_mb ?? 200;

  async function take(files: Dropped[]) {
    const tooLarge = files.filter(({ file }) => file.size > most * 1024 * 1024);
    const empty = files.filter(({ file }) => file.size === 0);
    const named = (list: Dropped[]) => list.slice(0, 3).map(({ file }) => file.name).join(", ") + (list.length > 3 ? ` and ${list.length - 3} more` : "");
    setRefused([
      tooLarge.length ? `Larger than ${count(most)} MB: ${named(tooLarge)}.` : "",
      empty.length ? `Empty: ${named(empty)}.` : "",
    ].filter(Boolean).join(" "));
    setNote("");
    const fine = files.filter((file) => !tooLarge.includes(file) && !empty.includes(file));
    if (!fine.length) return;
    try {
      if (scope?.kind === "matter") {
        add(scope, await placed(scope.id, fine));
        void reloadFolders();
        return;
      }
      if (fine.some(({ folders }) => folders.length)) setNote("A conversation has no folders: the files lie side by side in it. In a matter, folders are kept.");
      add(scope ?? { kind: "chat", id: await conversation() }, fine.map(({ file }) => ({ file, folderId: null })));
    } catch (error) {
      setRefused(error instanceof Error ? error.message : String(error));
    }
  }

  const remove = useCallback(async (document: Document) => {
    // Removed only after the server confirms; a refusal is shown in the row.
    await change("DELETE", scope?.kind === "chat" ? `${listAddress(scope)}/${q(document.id)}` : `/api/documents/${q(document.id)}`);
    drop(document.id);
    await reload();
  }, [scope, drop, reload]);

  const shown = useMemo(() => {
    const words = filter.trim().toLowerCase();
    return (list ?? []).filter((document) => `${document.filename} ${paths.get(document.folder_id ?? "") ?? ""}`.toLowerCase().includes(words));
  }, [list, filter, paths]);
  const asking = uploads.filter((upload) => upload.state === "asking");

  return (
    <div className="flex h-full min-h-0 flex-col bg-paper">
      <header className="flex items-center gap-2 px-4 pt-4 pb-3">
        <div className="min-w-0 flex-1">
          <h2 className="flex items-center gap-2 text-lg">
            Documents
            {list && <span data-testid="badge" className="inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-wash px-1.5 font-sans text-xs font-semibold text-accent tabular-nums" aria-label={plural(list.length, "document")}>{count(list.length)}</span>}
          </h2>
          <p className="truncate text-sm text-soft">{matter ? matter.title : "Of this conversation alone"}</p>
        </div>
        {onClose && <IconButton icon="close" label="Close the documents" onClick={onClose} />}
      </header>
      <Dropzone disabled={!mayAdd} onFiles={(files) => void take(files)} limit={`${count(most)} MB`}>
        {refused && <div className="px-4 pb-3"><Notice kind="error">{refused}</Notice></div>}
        {note && <div className="px-4 pb-3"><Notice kind="note">{note}</Notice></div>}
        {!mayAdd && <p className="px-4 pb-3 text-sm text-soft">You read this matter; its owners and editors add documents.</p>}
        {(list?.length ?? 0) >= FEW && (
          <div className="px-4 pb-2">
            <label className="relative block">
              <span className="sr-only">Filter the documents by name or folder</span>
              <Icon name="search" size={15} className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-soft" />
              <input type="search" value={filter} onChange={(event) => setFilter(event.target.value)} placeholder="Filter by name" className="field py-1.5 pl-8 text-sm" />
            </label>
          </div>
        )}
        <div className="scroll min-h-0 flex-1 border-t border-rule">
          {uploads.length > 0 && <ul aria-label="Uploads" className="border-b border-rule bg-sheet">{uploads.map((upload) => <UploadRow key={upload.key} upload={upload} onCancel={() => cancel(upload.key)} onRetry={() => retry(upload.key)} />)}</ul>}
          {documents.failure && <div className="p-4"><Notice kind="error">{documents.failure}</Notice></div>}
          {list === null && !documents.failure && <p className="flex items-center gap-2 p-4 text-sm text-soft"><Spinner /> Loading …</p>}
          {list?.length === 0 && uploads.length === 0 && (
            <Empty icon="file" title="No documents yet">
              {mayAdd ? "Contracts, letters, e-mails, scans: PDF, Word, Excel, text and images. Each is read, checked and made searchable; you see here how far it is." : "There is nothing to read here yet."}
            </Empty>
          )}
          {list && list.length > 0 && shown.length === 0 && <p className="p-4 text-sm text-soft">No document has “{filter}” in its name.</p>}
          <ul aria-label="Documents">
            {shown.map((document) => <DocumentRow key={document.id} document={document} folder={document.folder_id ? paths.get(document.folder_id) : undefined} mayChange={mayAdd} mayDelete={owns} mayHold={owns && scope?.kind === "matter"} onPreview={onPreview} onDelete={remove} onChanged={reload} />)}
          </ul>
        </div>
      </Dropzone>
      {asking[0] && <DuplicateDialog key={asking[0].key} upload={asking[0]} more={uploads.length - 1} onAnswer={(choice, rest) => answer(asking[0]!.key, choice, rest)} />}
      <p className="sr-only" role="status" aria-live="polite">{uploads.length ? `${plural(uploads.length, "file")} on the way` : ""}</p>
    </div>
  );
}

function UploadRow({ upload, onCancel, onRetry }: { upload: Upload; onCancel: () => void; onRetry: () => void }) {
  const percent = Math.round(upload.part * 100);
  const words = { waiting: "Waits for its turn", sending: percent === 100 ? "Being checked" : `${percent} %`, asking: "Is there already", failed: upload.reason ?? "Failed" }[upload.state];
  return (
    <li className="flex items-center gap-2.5 px-4 py-2 text-sm" data-testid="upload">
      <span className="min-w-0 flex-1">
        <span className="block truncate">{upload.file.name}</span>
        {upload.state === "sending" ? (
          <span className="flex items-center gap-2 text-xs text-soft">
            <progress value={percent} max={100} aria-label={`Upload of ${upload.file.name}`} className="h-1.5 flex-1 overflow-hidden rounded-full [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-rule [&::-webkit-progress-value]:bg-accent" />
            {words}
          </span>
        ) : <span className={`block text-xs ${upload.state === "failed" ? "text-bad" : "text-soft"}`}>{words}</span>}
      </span>
      {upload.state === "failed" && <IconButton icon="redo" size={15} label={`Try ${upload.file.name} again`} onClick={onRetry} />}
      <IconButton icon="close" size={15} label={`Leave out ${upload.file.name}`} onClick={onCancel} />
    </li>
  );
}
