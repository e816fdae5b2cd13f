import { useCallback, useMemo, useState } from "react";
import { change, q } from "../api/http";
import type { Document, Matter } from "../api/types";
import { count, plural } from "../format";
import { useLoadAfterOutage } from "../live/useReachable";
import { Names } from "../names";
import { IconButton } from "../ui/Button";
import { useStoredState } from "../useStoredState";
import { Icon, Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { DocumentList } from "./DocumentList";
import type { RowActions } from "./DocumentDetails";
import { Dropzone } from "./Dropzone";
import { DuplicateDialog } from "./DuplicateDialog";
import { MoveDialog } from "./MoveDialog";
import { SelectionBar } from "./SelectionBar";
import { hold, moveTo, toEach } from "./several";
import { TextSearch } from "./TextSearch";
import type { Filing } from "./useFiling";
import { type Order, ORDERS, ordered } from "./order";
import { type Documents, listAddress, type Scope } from "./useDocuments";
import { UploadList } from "./UploadList";
import type { Uploads } from "./useUploads";

interface Props {
  scope: Scope | null;
  matter: Matter | undefined;
  documents: Documents;
  /** Held by the parent, so uploads continue while the panel is closed. */
  sent: Uploads;
  filing: Filing;
  /** Paths of the matter's folders. */
  paths: ReadonlyMap<string, string>;
  onPreview: (document: Document) => void;
  /** Shows a document at words, from a page on. */
  onFound: (document: string, page: number | null, words: string) => void;
  onClose: (() => void) | undefined;
  /** Without a heading, on the page of the matter. */
  bare?: boolean;
}

const NO_PATHS: ReadonlyMap<string, string> = new Map();

export function DocumentsPanel({ scope, matter, documents, sent, filing, paths, onPreview, onFound, onClose, bare = false }: Props) {
  const [filter, setFilter] = useState("");
  const [inText, setInText] = useState(false);
  const [ticked, setTicked] = useState<ReadonlySet<string> | null>(null);
  const [moving, setMoving] = useState<Document | null>(null);
  const [failures, setFailures] = useState<string[]>([]);
  useLoadAfterOutage(useCallback(() => setFailures([]), []));
  const [busy, setBusy] = useState(false);
  const { list, reload, drop } = documents;
  const { uploads, answer } = sent;
  const { take, refused, note, most, dismiss } = filing;
  const owns = !matter || matter.role === "owner";
  const mayAdd = !matter || matter.role === "owner" || matter.role === "editor";

  const inMatter = scope?.kind === "matter";
  // Removed only after the server confirms; a refusal is shown in the row.
  const erase = useCallback(async (document: Document) => {
    await change("DELETE", scope?.kind === "chat" ? `${listAddress(scope)}/${q(document.id)}` : `/api/documents/${q(document.id)}`);
    drop(document.id);
  }, [scope, drop]);
  const remove = useCallback(async (document: Document) => {
    await erase(document);
    await reload();
  }, [erase, reload]);

  const doing = useCallback(async (documents: Document[], work: (document: Document) => Promise<unknown>) => {
    setBusy(true);
    setFailures(await toEach(documents, work));
    setBusy(false);
    await reload();
  }, [reload]);
  const all = (work: (document: Document) => Promise<unknown>) => doing((list ?? []).filter((document) => ticked?.has(document.id)), work);
  const moveIds = useCallback((ids: string[], folder: string | null) => doing((list ?? []).filter((document) => ids.includes(document.id)), moveTo(folder)), [list, doing]);
  const tick = useCallback((ids: string[], on: boolean) => setTicked((now) => {
    const next = new Set(now);
    for (const id of ids) if (on) next.add(id); else next.delete(id);
    return next;
  }), []);
  const { add } = sent;
  const actions = useMemo<RowActions>(() => ({
    mayChange: mayAdd, mayDelete: owns, mayHold: owns && inMatter, onPreview, onDelete: remove, onChanged: reload,
    onMove: inMatter ? setMoving : undefined,
    onNewVersion: scope && inMatter ? (document, file) => add(scope, [{ file, folderId: document.folder_id, versionOf: document.id }]) : undefined,
  }), [mayAdd, owns, inMatter, onPreview, remove, reload, scope, add]);

  const [order, setOrder] = useStoredState<Order>("documents.order", "newest");
  const names = useMemo(() => new Names((list ?? []).map((document) => document.filename)), [list]);
  const shown = useMemo(() => {
    const words = filter.trim().toLowerCase();
    return ordered((list ?? []).filter((document) => `${document.filename} ${names.of(document.filename)} ${paths.get(document.folder_id ?? "") ?? ""}`.toLowerCase().includes(words)), order);
  }, [list, names, filter, paths, order]);
  const searching = inText && scope?.kind === "matter" && filter.trim().length > 1;
  const asking = uploads.filter((upload) => upload.state === "asking");

  return (
    <div className="flex h-full min-h-0 flex-col bg-paper">
      {bare ? <div className="pt-3" /> : (
        <header className="flex items-center gap-2 px-4 pt-3 pb-2">
          <h2 className="flex items-center gap-2 text-lg">
            Documents
            {list && <span data-testid="badge" className="inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-wash px-1.5 font-sans text-xs font-semibold text-accent tabular-nums" aria-label={plural(list.length, "document")}>{count(list.length)}</span>}
          </h2>
          <p className="min-w-0 flex-1 truncate text-right text-sm text-soft" title={matter?.title}>{matter ? matter.title : "Of this conversation alone"}</p>
          {onClose && <IconButton icon="close" label="Close the documents" onClick={onClose} />}
        </header>
      )}
      <Dropzone disabled={!mayAdd} small={(list?.length ?? 0) > 0} onFiles={(files) => void take(files)} limit={`${count(most)} MB`}>
        {refused && <div className="px-4 pb-3"><Notice kind="error" onDismiss={dismiss}>{refused}</Notice></div>}
        {note && <div className="px-4 pb-3"><Notice kind="note" onDismiss={dismiss}>{note}</Notice></div>}
        {!mayAdd && <p className="px-4 pb-3 text-sm text-soft">You read this matter; its owners and editors add documents.</p>}
        {(list?.length ?? 0) > 0 && (
          <div className="@container px-4 pb-2">
          <div className="space-y-1.5 @lg:flex @lg:items-center @lg:gap-3 @lg:space-y-0">
            <label className="relative block @lg:flex-1">
              <span className="sr-only">Filter the documents by name or folder</span>
              <Icon name="search" size={15} className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-soft" />
              <input type="search" value={filter} onChange={(event) => setFilter(event.target.value)} placeholder={inText ? "Search the text" : "Filter by name"} className="field py-1.5 pl-8 text-sm" />
            </label>
            <div className="flex items-center gap-3 text-xs text-soft">
              {inMatter && <label className="flex items-center gap-1.5"><input type="checkbox" checked={inText} onChange={(event) => setInText(event.target.checked)} className="size-3.5 accent-[var(--accent)]" /> In the text</label>}
              <span className="flex-1 @lg:hidden" />
              <label>
                <span className="sr-only">Order of the documents</span>
                <select value={order} onChange={(event) => setOrder(event.target.value as Order)} className="rounded bg-transparent py-0.5 text-accent hover:bg-wash">
                  {ORDERS.map(([key, name]) => <option key={key} value={key}>{name}</option>)}
                </select>
              </label>
              {!ticked && owns && <button type="button" className="text-accent underline-offset-2 hover:underline" onClick={() => setTicked(new Set())}>Tick several</button>}
            </div>
          </div>
          </div>
        )}
        {searching ? <TextSearch matter={scope!.id} words={filter} onShow={onFound} /> : (
          <DocumentList documents={shown} order={order} names={names} paths={filter.trim() ? NO_PATHS : paths} ticked={ticked} onTick={tick} onMove={inMatter && mayAdd ? moveIds : undefined} actions={actions} before={
            <>
              {uploads.length > 0 && <UploadList sent={sent} />}
              {failures.length > 0 && <div className="p-4"><Notice kind="error" onDismiss={() => setFailures([])}>{failures.map((failure) => <p key={failure}>{failure}</p>)}</Notice></div>}
              {documents.failure && <div className="p-4"><Notice kind="error">{documents.failure}</Notice></div>}
              {list === null && !documents.failure && <p className="flex items-center gap-2 p-4 text-sm text-soft"><Spinner /> Loading …</p>}
              {list?.length === 0 && uploads.length === 0 && (
                <Empty icon="file" title="No documents yet">
                  {mayAdd ? "Contracts, letters, e-mails, scans: PDF, Word, Excel, text and images. Each is read, checked and made searchable; you see here how far it is." : "There is nothing to read here yet."}
                </Empty>
              )}
              {list && list.length > 0 && shown.length === 0 && <p className="p-4 text-sm text-soft">No document has “{filter}” in its name.</p>}
            </>
          } />
        )}
        {ticked && <SelectionBar ticked={(list ?? []).filter((document) => ticked.has(document.id))} paths={paths} mayChange={inMatter && mayAdd} mayDelete={owns} mayHold={owns && inMatter} busy={busy}
          onMove={(folder) => void moveIds([...ticked], folder)} onHold={(on) => void all(hold(on))} onDelete={() => void all(erase)} onDone={() => setTicked(null)} />}
      </Dropzone>
      {moving && <MoveDialog documents={[moving]} paths={paths} onMove={(folder) => void moveIds([moving.id], folder)} onClose={() => setMoving(null)} />}
      {asking[0] && <DuplicateDialog key={asking[0].key} upload={asking[0]} more={uploads.length - 1} onAnswer={(choice, rest) => answer(asking[0]!.key, choice, rest)} />}
      <p className="sr-only" role="status" aria-live="polite">{uploads.length ? `${plural(uploads.length, "file")} on the way` : ""}</p>
    </div>
  );
}
