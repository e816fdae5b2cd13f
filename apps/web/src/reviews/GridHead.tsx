import { type DragEvent, memo } from "react";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ColumnEdge } from "./ColumnEdge";
import { type ColumnsLayout, HEAD } from "./columnsLayout";
import { progressOf } from "./standing";
import type { Column } from "./types";

/** The kind of what is dragged: the head of a column. */
const MOVED = "application/x-orderly-column";

export interface Order { column: string; descending: boolean }

interface Doing {
  onOrder: (column: string) => void;
  onFilter: (column: string, words: string) => void;
  onEdit: ((column: string) => void) | undefined;
  onWidth: (column: string, width: number) => void;
  /** Puts a column before another; none for those who only read. */
  onMove: ((column: string, before: string) => void) | undefined;
  /** Documents that can be asked. */
  documents: number;
}

/** The head of the columns in view: their titles, filters and progress. Stays in sight. */
export const GridHead = memo(function GridHead({ columns, layout, from, to, width, order, filters, onOrder, onFilter, onEdit, onWidth, onMove, documents }: Doing & {
  columns: readonly Column[]; layout: ColumnsLayout; from: number; to: number; width: number; order: Order | null; filters: Readonly<Record<string, string>>;
}) {
  return (
    <div role="row" aria-rowindex={1} style={{ height: HEAD, width }} className="sticky top-0 z-20 border-b border-rule bg-paper">
      <Head index={1} width={layout.first} left={null} title="Document" column="" order={order} filter={filters[""] ?? ""} onOrder={onOrder} onFilter={onFilter} onEdit={onEdit} onWidth={onWidth} onMove={undefined} documents={documents} />
      {columns.slice(from, to).map((column, n) => (
        <Head key={column.id} index={from + n + 2} left={layout.lefts[from + n]!} width={layout.widths[from + n]!} title={column.title} hint={column.question}
          progress={column} column={column.id} order={order} filter={filters[column.id] ?? ""} onOrder={onOrder} onFilter={onFilter} onEdit={onEdit} onWidth={onWidth} onMove={onMove} documents={documents} />
      ))}
    </div>
  );
});

const FORMS = "Words, or: empty · filled · = 90 days · != Victoria · < 30 June 2027 · > 3 years · state: candidate";

/** `left`: null for the first column, which stays in sight. */
const Head = memo(function Head({ index, left, width, title, hint, progress, column, order, filter, onOrder, onFilter, onEdit, onWidth, onMove, documents }: Doing & {
  index: number; left: number | null; width: number; title: string; hint?: string; progress?: Column; column: string; order: Order | null; filter: string;
}) {
  const mine = order?.column === column;
  const { done, total } = progress ? progressOf(progress) : { done: 0, total: 0 };
  const part = total > 0 ? Math.round((100 * done) / total) : 0;
  const moved = onMove && column ? {
    draggable: true, onDragStart: (event: DragEvent) => event.dataTransfer.setData(MOVED, column),
  } : {};
  const taking = onMove && column ? {
    onDragOver: (event: DragEvent) => event.dataTransfer.types.includes(MOVED) && event.preventDefault(),
    onDrop: (event: DragEvent) => { const from = event.dataTransfer.getData(MOVED); if (from && from !== column) onMove(from, column); },
  } : {};
  return (
    <div role="columnheader" aria-colindex={index} aria-sort={mine ? (order.descending ? "descending" : "ascending") : "none"} {...taking}
      style={left === null ? { width } : { width, left }} className={`${left === null ? "sticky left-0 z-10" : "absolute top-0"} flex h-full flex-col gap-1 border-r border-rule bg-paper px-2 pt-1.5 pb-2`}>
      <div className="flex items-center">
      <button type="button" title={hint ?? title} {...moved} onClick={() => onOrder(column)} className="flex min-h-7 min-w-0 flex-1 items-center gap-1 rounded px-1 text-left font-medium hover:bg-wash">
        <span className="min-w-0 flex-1 truncate">{title}</span>
        {mine && <Icon name="down" size={14} className={order.descending ? "" : "rotate-180"} />}
      </button>
      {column && onEdit && <IconButton icon="pencil" size={13} label={`Change the column ${title}`} onClick={() => onEdit(column)} className="!size-7" />}
      </div>
      <input list={column ? "review-filters" : undefined} title={column ? FORMS : undefined} value={filter} onChange={(event) => onFilter(column, event.target.value)} aria-label={`Filter ${title}`} placeholder="Filter"
        className="h-7 w-full rounded border border-edge/50 bg-sheet px-2 text-xs" />
      {progress && done < total && (
        <div role="progressbar" aria-label={`Answered of ${title}`} aria-valuenow={part} aria-valuemin={0} aria-valuemax={100} title={`${done} of ${total} answered`}
          className="h-1 overflow-hidden rounded-full bg-sunk"><div className="h-full bg-accent" style={{ width: `${part}%` }} /></div>
      )}
      {progress && done === total && total > 0 && total < documents && <p className="truncate text-[0.6875rem] leading-none text-soft">{`${total} of ${documents} asked`}</p>}
      {column && <ColumnEdge title={title} width={width} onWidth={(to) => onWidth(column, to)} />}
    </div>
  );
});
