import { type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { SUGGESTIONS } from "./filters";
import { GridHead, type Order } from "./GridHead";
import { COLUMN, HEAD, layoutOf, ROW } from "./columnsLayout";
import { cellId, GridRow, type Place, RowName } from "./GridRow";
import type { Names } from "../names";
import type { Column, Row } from "./types";

const SPARE_ROWS = 4;
const SPARE_COLUMNS = 1;
const GROUP = 3;

/** Columns come and go in groups, so that fewer frames change the page. */
function columnGroups({ startIndex, endIndex, overscan, count }: Range): number[] {
  const from = Math.floor(Math.max(0, startIndex - overscan) / GROUP) * GROUP;
  const to = Math.min(count, Math.ceil((endIndex + overscan + 1) / GROUP) * GROUP);
  return Array.from({ length: to - from }, (_, n) => from + n);
}

interface Props {
  columns: readonly Column[];
  rows: readonly Row[];
  names: Names;
  place: Place;
  order: Order | null;
  filters: Readonly<Record<string, string>>;
  onPlace: (place: Place) => void;
  onOrder: (column: string) => void;
  onFilter: (column: string, words: string) => void;
  /** Changes a column; none for those who only read. */
  onEdit: ((column: string) => void) | undefined;
  widths: Readonly<Record<string, number>>;
  onWidth: (column: string, width: number) => void;
  onMove: ((column: string, before: string) => void) | undefined;
  /** Documents that can be asked. */
  documents: number;
  /** A key that is no movement: Enter, a, e, r. */
  onKey: (key: string) => void;
}

/**
 * A grid that draws only the rows and columns in view. Its focus stays on the grid; `aria-activedescendant` names the cell. The names of the documents are shown in one
 * sticky column: a sticky element per row would be a layer per row, and each frame would put all of them together.
 */
export const Grid = memo(function Grid({ columns, rows, names, place, order, filters, onPlace, onOrder, onFilter, onEdit, widths, onWidth, onMove, documents, onKey }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [across, setAcross] = useState(Infinity);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setAcross(entry!.contentRect.width));
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(() => layoutOf(columns, widths, across), [columns, widths, across]);
  const vertical = useVirtualizer({
    count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: SPARE_ROWS, useFlushSync: false,
    paddingStart: HEAD, scrollPaddingStart: HEAD,
  });
  const horizontal = useVirtualizer({
    horizontal: true, count: columns.length, getScrollElement: () => scroller.current, estimateSize: (n) => layout.widths[n] ?? COLUMN.usual, overscan: SPARE_COLUMNS, rangeExtractor: columnGroups, useFlushSync: false,
    paddingStart: layout.first, scrollPaddingStart: layout.first,
  });
  useEffect(() => horizontal.measure(), [horizontal, layout]);
  const width = horizontal.getTotalSize();
  const height = vertical.getTotalSize();
  const drawn = horizontal.getVirtualItems();
  const from = drawn[0]?.index ?? 0;
  const to = (drawn.at(-1)?.index ?? -1) + 1;
  const items = vertical.getVirtualItems();

  const size = useRef({ rows: 0, columns: 0 });
  size.current = { rows: rows.length, columns: columns.length };
  const move = useCallback((to: Place) => {
    const row = Math.max(0, Math.min(size.current.rows - 1, to.row));
    const column = Math.max(-1, Math.min(size.current.columns - 1, to.column));
    vertical.scrollToIndex(row);
    if (column >= 0) horizontal.scrollToIndex(column);
    onPlace({ row, column });
  }, [vertical, horizontal, onPlace]);

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
  // What is chosen stays in sight when a filter or an order moves it.
  const chosen = rows[place.row]?.document.id;
  const before = useRef({ chosen, row: place.row });
  useEffect(() => {
    if (before.current.chosen === chosen && before.current.row !== place.row) vertical.scrollToIndex(place.row);
    before.current = { chosen, row: place.row };
  }, [chosen, place.row, vertical]);
  // Beside a source the grid is narrower; the chosen cell stays in sight.
  const column = useRef(place.column);
  column.current = place.column;
  useEffect(() => {
    if (across !== Infinity && column.current >= 0) horizontal.scrollToIndex(column.current);
  }, [across, horizontal]);
  const current = rows[place.row];
  const visible = items.some((item) => item.index === place.row) && (place.column < 0 || (from <= place.column && place.column < to));
  const active = (index: number) => (place.row === index ? place.column : null);
  return (
    <>
    <datalist id="review-filters">{SUGGESTIONS.map(([filter, name]) => <option key={filter} value={filter}>{name}</option>)}</datalist>
    <div
      ref={scroller} role="grid" tabIndex={0} aria-label="Answers by document" aria-rowcount={rows.length + 1} aria-colcount={columns.length + 1}
      aria-activedescendant={current && visible ? cellId(current.document.id, columns[place.column]?.id ?? "name") : undefined}
      onKeyDown={onKeyDown} data-testid="review-grid"
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain border-y border-rule bg-sheet text-sm [contain:strict]"
    >
      <div role="presentation" style={{ width, height }} className="relative">
        <GridHead columns={columns} layout={layout} from={from} to={to} width={width} order={order} filters={filters} onOrder={onOrder} onFilter={onFilter} onEdit={onEdit} onWidth={onWidth} onMove={onMove} documents={documents} />
        <div aria-hidden="true" style={{ width: layout.first, height: height - HEAD }} className="sticky left-0 z-10 border-r border-rule bg-paper">
          {items.map((item) => rows[item.index] && <RowName key={rows[item.index]!.document.id} document={rows[item.index]!.document} names={names} index={item.index} active={active(item.index) === -1} onPick={move} />)}
        </div>
        {items.map((item) => rows[item.index] && (
          <GridRow key={rows[item.index]!.document.id} row={rows[item.index]!} index={item.index} columns={columns} layout={layout} from={from} to={to} width={width} active={active(item.index)} onPick={move} />
        ))}
      </div>
    </div>
    </>
  );
});
