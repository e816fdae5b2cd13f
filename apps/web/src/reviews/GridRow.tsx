import { memo } from "react";
import { absenceOf, type Look, LOOKS, lookOf, textOf } from "./standing";
import { type ColumnsLayout, HEAD, ROW } from "./columnsLayout";
import type { Names } from "../names";
import type { Column, ReviewedDocument, Row } from "./types";

/** More characters than three lines of a wide cell hold. */
const MOST = 240;

/** Column -1 is the document's name. */
export interface Place { row: number; column: number }

const TINTS: Record<Look, string> = {
  queued: "text-soft", found: "", candidate: "bg-warn-wash/60 italic", conflict: "bg-warn-wash font-medium", not_found: "text-soft",
  failed: "bg-bad-wash text-bad", stale: "hatched text-soft", accepted: "", corrected: "", rejected: "text-soft line-through",
};

export const cellId = (row: string, column: string): string => `cell-${row}-${column}`;

/** The name of a row's document as it is seen, in the sticky column; its row has it for screen readers. */
export const RowName = memo(function RowName({ document, names, index, active, onPick }: { document: ReviewedDocument; names: Names; index: number; active: boolean; onPick: (place: Place) => void }) {
  return (
    <div onClick={() => onPick({ row: index, column: -1 })} title={document.filename} style={{ height: ROW, transform: `translateY(${index * ROW}px)` }}
      className={`absolute inset-x-0 top-0 flex flex-col justify-center border-b border-rule px-3 [contain:strict] ${active ? "ring-2 ring-accent ring-inset forced-colors:outline-2 forced-colors:-outline-offset-2" : ""}`}>
      <span className={`leading-snug ${document.current_revision_id ? "line-clamp-3 [overflow-wrap:anywhere]" : "line-clamp-2"}`}>{names.of(document.filename)}</span>
      {!document.current_revision_id && <span className="truncate text-xs text-soft">not read{document.status_reason ? `: ${document.status_reason}` : ""}</span>}
    </div>
  );
});

/** The cells of a document from column `from` to before column `to`. `active`: the column that has the focus. */
export const GridRow = memo(function GridRow({ row, index, columns, layout, from, to, width, active, onPick }: {
  row: Row; index: number; columns: readonly Column[]; layout: ColumnsLayout; from: number; to: number; width: number; active: number | null; onPick: (place: Place) => void;
}) {
  return (
    <div role="row" aria-rowindex={index + 2} style={{ height: ROW, width, transform: `translateY(${HEAD + index * ROW}px)` }}
      className="absolute top-0 left-0 border-b border-rule [contain:strict]" data-row>
      <div role="rowheader" aria-colindex={1} id={cellId(row.document.id, "name")} className="sr-only">{row.document.filename}{row.document.current_revision_id ? "" : ", not read"}</div>
      {columns.slice(from, to).map((column, n) => (
        <GridCell key={column.id} row={row} column={column.id} rowIndex={index} index={from + n} left={layout.lefts[from + n]!} width={layout.widths[from + n]!} active={active === from + n} onPick={onPick} />
      ))}
    </div>
  );
});

const GridCell = memo(function GridCell({ row, column, rowIndex, index, left, width, active, onPick }: {
  row: Row; column: string; rowIndex: number; index: number; left: number; width: number; active: boolean; onPick: (place: Place) => void;
}) {
  const cell = row.cells.get(column);
  const read = row.document.current_revision_id !== null;
  const look = read ? lookOf(cell) : "not_found";
  const { sign, name } = read ? LOOKS[look] : { sign: "", name: "the document was not read" };
  const text = textOf(cell) || (look === "accepted" || look === "rejected" ? absenceOf(cell) : "");
  const shown = text || (look === "queued" ? "" : name);
  return (
    <div role="gridcell" aria-colindex={index + 2} id={cellId(row.document.id, column)} onClick={() => onPick({ row: rowIndex, column: index })}
      style={{ left, width }} data-look={look} data-sign={sign || undefined} title={text || name} aria-label={text && look !== "found" ? `${text} (${name})` : shown || name}
      className={`cell absolute top-0 flex h-full items-center gap-2 border-r border-rule px-3 leading-snug [contain:strict] ${TINTS[look]} ${active ? "ring-2 ring-accent ring-inset forced-colors:outline-2 forced-colors:-outline-offset-2" : ""}`}>
      <span className="line-clamp-3">{shown.slice(0, MOST)}</span>
    </div>
  );
});
