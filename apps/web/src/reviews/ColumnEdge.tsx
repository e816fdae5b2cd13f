import { useRef } from "react";
import { COLUMN } from "./columnsLayout";

const STEP = 20;

/** The right edge of a column's head: dragged, or moved by arrow keys. */
export function ColumnEdge({ title, width, onWidth }: { title: string; width: number; onWidth: (width: number) => void }) {
  const from = useRef<{ x: number; width: number } | null>(null);
  const to = (wanted: number) => onWidth(Math.round(Math.max(COLUMN.least, Math.min(wanted, COLUMN.most))));
  return (
    <div
      role="separator" aria-orientation="vertical" aria-label={`Width of ${title}`} aria-valuenow={width} aria-valuemin={COLUMN.least} aria-valuemax={COLUMN.most} tabIndex={0}
      className="absolute inset-y-0 right-0 w-1.5 cursor-col-resize touch-none hover:bg-accent/30 focus-visible:bg-accent/30"
      onDoubleClick={() => to(COLUMN.usual)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
        if (!by) return;
        event.preventDefault();
        to(width + by);
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => from.current && to(from.current.width + event.clientX - from.current.x)}
      onPointerUp={() => { from.current = null; }}
    />
  );
}
