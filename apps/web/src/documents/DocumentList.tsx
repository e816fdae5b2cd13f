import { useVirtualizer } from "@tanstack/react-virtual";
import { type DragEvent, type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import type { Document } from "../api/types";
import { count, day, plural, typeName } from "../format";
import type { Names } from "../names";
import { Icon } from "../ui/Icon";
import type { RowActions } from "./DocumentDetails";
import { DocumentRow } from "./DocumentRow";
import { kindOf } from "./kinds";
import type { Order } from "./order";
import { type Row, rowsOf } from "./rows";

/** Heights as drawn, in pixels. A wrong estimate makes each row that comes into sight be laid out twice. */
const FOLDER = 33;
const ROW = { narrow: 49, wide: 37 };
const WIDE = 576;
const STATUS = 16;
/** Beside the words of a status, and of one letter of them. */
const MARGINS = 92;
const STATUS_LETTER = 6.3;
const PANEL = 352;
const DRAGGED = "application/x-orderly-documents";

/** Documents by folder; only the rows in sight are drawn. Rows are dragged onto folders to move them. */
export function DocumentList({ documents, order, names, paths, ticked, onTick, onMove, actions, before }: {
  documents: Document[]; order: Order; names: Names; paths: ReadonlyMap<string, string>;
  /** Ids of ticked documents; null: nothing is being ticked. */
  ticked: ReadonlySet<string> | null;
  onTick: (ids: string[], on: boolean) => void;
  onMove: ((ids: string[], folder: string | null) => void) | undefined;
  actions: RowActions;
  before: ReactNode;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const rows = useMemo(() => rowsOf(documents, paths, folded), [documents, paths, folded]);
  const open = useCallback((id: string) => setOpened((now) => (now === id ? null : id)), []);
  const tick = useCallback((id: string, on: boolean) => onTick([id], on), [onTick]);
  const virtual = useVirtualizer({
    count: rows.length, overscan: 6, getScrollElement: () => frame.current,
    estimateSize: (n) => heightOf(rows[n]!, frame.current?.clientWidth ?? PANEL), getItemKey: (n) => rows[n]?.key ?? n,
  });
  const fold = (key: string) => setFolded((now) => {
    const next = new Set(now);
    if (!next.delete(key)) next.add(key);
    return next;
  });
  /** A folder, or a document in it, takes what is dropped on it. */
  const dropInto = (folder: string | null) => ({
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      setOver(`folder ${folder ?? ""}`);
    },
    onDragLeave: () => setOver(null),
    onDrop: (event: DragEvent) => {
      setOver(null);
      const given = event.dataTransfer.getData(DRAGGED);
      if (!given) return;
      event.preventDefault();
      const moved = new Set(JSON.parse(given) as string[]);
      const ids = documents.filter((document) => moved.has(document.id) && document.folder_id !== folder).map((document) => document.id);
      if (ids.length) onMove?.(ids, folder);
    },
  });
  const dragged = (document: Document) => JSON.stringify(ticked?.has(document.id) ? [...ticked] : [document.id]);
  return (
    <div ref={frame} className="scroll @container min-h-0 flex-1 border-t border-rule" data-testid="document-list">
      {before}
      <ul aria-label="Documents" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]!;
          const place = { ref: virtual.measureElement, "data-index": item.index, style: { transform: `translateY(${item.start}px)` }, ...(onMove ? dropInto(row.kind === "folder" ? row.id : row.document.folder_id) : {}) };
          if (row.kind === "folder") return (
            <li key={row.key} {...place} data-testid="folder" className={`absolute inset-x-0 top-0 flex items-center border-b border-rule bg-sunk ${over === row.key ? "ring-2 ring-accent ring-inset" : ""}`}>
              {ticked && <input type="checkbox" aria-label={`All in ${row.name}`} checked={row.documents.length > 0 && row.documents.every((d) => ticked.has(d.id))} onChange={(event) => onTick(row.documents.map((d) => d.id), event.target.checked)} className="mr-1.5 ml-4 size-4 shrink-0 accent-[var(--accent)]" />}
              <button type="button" aria-expanded={!folded.has(row.key)} onClick={() => fold(row.key)} className="flex min-w-0 flex-1 items-center gap-2 px-4 py-1.5 text-left text-sm font-medium hover:bg-wash">
                <Icon name="down" size={13} className={folded.has(row.key) ? "-rotate-90" : ""} />
                <span className="min-w-0 flex-1 truncate">{row.name}</span>
                <span className="text-xs font-normal text-soft tabular-nums">{count(row.documents.length)}</span>
              </button>
            </li>
          );
          const { document } = row;
          return (
            <li
              key={row.key} {...place} className="absolute inset-x-0 top-0 border-b border-rule" data-testid="document" data-status={document.status}
              draggable={Boolean(onMove) && opened !== document.id} onDragStart={(event) => event.dataTransfer.setData(DRAGGED, dragged(document))}
            >
              <DocumentRow document={document} name={names.of(document.filename)} about={aboutOf(document, order)} open={opened === document.id} onOpen={open} ticked={ticked ? ticked.has(document.id) : null} onTick={tick} actions={actions} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function heightOf(row: Row, across: number): number {
  if (row.kind === "folder") return FOLDER;
  const { status, status_reason } = row.document;
  const lines = Math.ceil((status_reason.length * STATUS_LETTER) / (across - MARGINS));
  return (across >= WIDE ? ROW.wide : ROW.narrow) + (status === "ready" ? 0 : STATUS * Math.max(1, lines));
}

function aboutOf(document: Document, order: Order): string {
  const kind = order === "kind" ? kindOf(document.filename) : typeName(document.content_type, document.filename);
  return [kind, document.paged && document.page_count ? plural(document.page_count, "page") : "", day(document.created_at)].filter(Boolean).join(" · ");
}
