import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, useCallback, useEffect, useRef } from "react";
import { Icon } from "../ui/Icon";
import { type Look, LOOKS, lookOf, progressOf, textOf } from "./standing";
import type { Column, Row } from "./types";

const ROW = 54;
const COLUMN = 220;
const FIRST = 250;
const HEAD = 92;
const SPARE_ROWS = 4;
const SPARE_COLUMNS = 1;

/** Column -1 is the document's name. */
export interface Place { row: number; column: number }
export interface Order { column: string; descending: boolean }

interface Props {
  columns: readonly Column[];
  rows: readonly Row[];
  place: Place;
  order: Order | null;
  filters: Readonly<Record<string, string>>;
  onPlace: (place: Place) => void;
  onOrder: (column: string) => void;
  onFilter: (column: string, words: string) => void;
  /** A key that is no movement: Enter, a, e, r. */
  onKey: (key: string) => void;
}

const TINTS: Record<Look, string> = {
  queued: "text-soft", found: "", candidate: "bg-warn-wash/60 italic", conflict: "bg-warn-wash font-medium", not_found: "text-soft",
  failed: "bg-bad-wash text-bad", stale: "hatched text-soft", accepted: "", corrected: "", rejected: "text-soft line-through",
};

export const cellId = (row: string, column: string): string => `cell-${row}-${column}`;

/** A grid that draws only the rows and columns in view. Its focus stays on the grid; `aria-activedescendant` names the cell. */
export function Grid({ columns, rows, place, order, filters, onPlace, onOrder, onFilter, onKey }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const vertical = useVirtualizer({
    count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: SPARE_ROWS, useFlushSync: false,
    paddingStart: HEAD, scrollPaddingStart: HEAD,
  });
  const horizontal = useVirtualizer({
    horizontal: true, count: columns.length, getScrollElement: () => scroller.current, estimateSize: () => COLUMN, overscan: SPARE_COLUMNS, useFlushSync: false,
    paddingStart: FIRST, scrollPaddingStart: FIRST,
  });
  const width = horizontal.getTotalSize();
  const drawn = horizontal.getVirtualItems();

  const move = useCallback((to: Place) => {
    const row = Math.max(0, Math.min(rows.length - 1, to.row));
    const column = Math.max(-1, Math.min(columns.length - 1, to.column));
    vertical.scrollToIndex(row);
    if (column >= 0) horizontal.scrollToIndex(column);
    onPlace({ row, column });
  }, [rows.length, columns.length, vertical, horizontal, onPlace]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? ROW) - HEAD) / ROW));
    const to = {
      ArrowDown: { row: place.row + 1, column: place.column }, ArrowUp: { row: place.row - 1, column: place.column },
      ArrowRight: { row: place.row, column: place.column + 1 }, ArrowLeft: { row: place.row, column: place.column - 1 },
      PageDown: { row: place.row + page, column: place.column }, PageUp: { row: place.row - page, column: place.column },
      Home: { row: place.row, column: -1 }, End: { row: place.row, column: columns.length - 1 },
    }[event.key];
    if (to) {
      event.preventDefault();
      move(to);
    } else if (["Enter", "a", "e", "r"].includes(event.key)) {
      event.preventDefault();
      onKey(event.key);
    }
  }

  useEffect(() => scroller.current?.focus({ preventScroll: true }), []);
  const current = rows[place.row];
  const visible = vertical.getVirtualItems().some((item) => item.index === place.row) && (place.column < 0 || drawn.some((item) => item.index === place.column));
  return (
    <div
      ref={scroller} role="grid" tabIndex={0} aria-label="Answers by document" aria-rowcount={rows.length + 1} aria-colcount={columns.length + 1}
      aria-activedescendant={current && visible ? cellId(current.document.id, columns[place.column]?.id ?? "name") : undefined}
      onKeyDown={onKeyDown} data-testid="review-grid"
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain border-y border-rule bg-sheet text-sm"
    >
      <div style={{ width, height: vertical.getTotalSize() }} className="relative">
        <div role="row" aria-rowindex={1} style={{ height: HEAD, width }} className="sticky top-0 z-20 border-b border-rule bg-paper">
          <Head index={1} left={0} width={FIRST} sticky title="Document" column="" order={order} filter={filters[""] ?? ""} onOrder={onOrder} onFilter={onFilter} />
          {drawn.map((item) => {
            const column = columns[item.index];
            return column && (
              <Head key={column.id} index={item.index + 2} left={item.start} width={COLUMN} title={column.title} hint={column.question}
                progress={progressOf(column)} column={column.id} order={order} filter={filters[column.id] ?? ""} onOrder={onOrder} onFilter={onFilter} />
            );
          })}
        </div>
        {vertical.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row && (
            <div key={row.document.id} role="row" aria-rowindex={item.index + 2} style={{ height: ROW, width, transform: `translateY(${item.start}px)` }} className="absolute top-0 left-0 border-b border-rule [contain:layout_style]" data-row>
              <div role="rowheader" aria-colindex={1} id={cellId(row.document.id, "name")} onClick={() => move({ row: item.index, column: -1 })} style={{ width: FIRST }}
                className={`sticky left-0 z-10 flex h-full flex-col justify-center border-r border-rule bg-paper px-3 ${place.row === item.index && place.column === -1 ? "ring-2 ring-accent ring-inset" : ""}`}>
                <span className="truncate" title={row.document.filename}>{row.document.filename}</span>
                {!row.document.current_revision_id && <span className="truncate text-xs text-soft">not read{row.document.status_reason ? `: ${row.document.status_reason}` : ""}</span>}
              </div>
              {drawn.map((column) => (
                <GridCell key={column.key} row={row} column={columns[column.index] as Column} rowIndex={item.index} index={column.index} left={column.start}
                  active={place.row === item.index && place.column === column.index} onPick={move} />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const GridCell = memo(function GridCell({ row, column, rowIndex, index, left, active, onPick }: {
  row: Row; column: Column; rowIndex: number; index: number; left: number; active: boolean; onPick: (place: Place) => void;
}) {
  const cell = row.cells.get(column.id);
  const look = row.document.current_revision_id ? lookOf(cell) : "not_found";
  const { sign, name } = row.document.current_revision_id ? LOOKS[look] : { sign: "", name: "the document was not read" };
  const text = textOf(cell);
  return (
    <div role="gridcell" aria-colindex={index + 2} id={cellId(row.document.id, column.id)} onClick={() => onPick({ row: rowIndex, column: index })}
      style={{ left, width: COLUMN }} data-look={look} title={text || name}
      className={`absolute top-0 flex h-full items-center gap-2 border-r border-rule px-3 ${TINTS[look]} ${active ? "ring-2 ring-accent ring-inset" : ""}`}>
      {sign && <span aria-hidden="true" className="w-4 shrink-0 text-center font-semibold not-italic">{sign}</span>}
      <span className="line-clamp-2 min-w-0 leading-snug">{text || (look === "queued" ? "" : name)}</span>
      {text && look !== "found" && <span className="sr-only">({name})</span>}
    </div>
  );
});

const Head = memo(function Head({ index, left, width, sticky = false, title, hint, progress, column, order, filter, onOrder, onFilter }: {
  index: number; left: number; width: number; sticky?: boolean; title: string; hint?: string; progress?: { done: number; total: number }; column: string;
  order: Order | null; filter: string; onOrder: (column: string) => void; onFilter: (column: string, words: string) => void;
}) {
  const mine = order?.column === column;
  const done = progress && progress.total > 0 ? Math.round((100 * progress.done) / progress.total) : 0;
  return (
    <div role="columnheader" aria-colindex={index} aria-sort={mine ? (order.descending ? "descending" : "ascending") : "none"}
      style={sticky ? { width } : { width, left }} className={`${sticky ? "sticky left-0 z-10" : "absolute top-0"} flex h-full flex-col gap-1 border-r border-rule bg-paper px-2 pt-1.5 pb-2`}>
      <button type="button" title={hint ?? title} onClick={() => onOrder(column)} className="flex min-h-7 items-center gap-1 rounded px-1 text-left font-medium hover:bg-wash">
        <span className="min-w-0 flex-1 truncate">{title}</span>
        {mine && <Icon name="down" size={14} className={order.descending ? "" : "rotate-180"} />}
      </button>
      <input value={filter} onChange={(event) => onFilter(column, event.target.value)} aria-label={`Filter ${title}`} placeholder="Filter"
        className="h-7 w-full rounded border border-edge/50 bg-sheet px-2 text-xs" />
      {progress && (
        <div role="progressbar" aria-label={`Answered of ${title}`} aria-valuenow={done} aria-valuemin={0} aria-valuemax={100} title={`${progress.done} of ${progress.total} answered`}
          className="h-1 overflow-hidden rounded-full bg-sunk"><div className="h-full bg-accent" style={{ width: `${done}%` }} /></div>
      )}
    </div>
  );
});
