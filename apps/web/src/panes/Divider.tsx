import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import type { Pane } from "./usePanes";

const STEP = 24;

/** The edge of a pane, dragged or moved by arrow keys; a double click gives the pane its usual width again. `variable`: the custom property that holds the width. */
export function Divider({ pane, side, label, variable }: { pane: Pane; side: "left" | "right"; label: string; variable: string }) {
  const from = useRef<{ x: number; width: number } | null>(null);
  const toward = side === "left" ? 1 : -1;
  const bound = (width: number) => Math.round(Math.max(pane.least, Math.min(width, pane.most)));
  const at = (event: PointerEvent) => bound(from.current!.width + toward * (event.clientX - from.current!.x));

  function onKeyDown(event: KeyboardEvent) {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    const to = by ? pane.width + toward * by : { Home: pane.least, End: pane.most }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pane.keep(bound(to));
  }

  return (
    <div
      role="separator" aria-orientation="vertical" aria-label={label} aria-valuenow={pane.width} aria-valuemin={pane.least} aria-valuemax={pane.most} tabIndex={0} data-noprint
      title="Drag, or use the arrow keys; a double click gives the usual width"
      className={`absolute inset-y-0 z-30 w-2 cursor-col-resize touch-none hover:bg-accent/25 focus-visible:bg-accent/25 ${side === "left" ? "-right-1" : "-left-1"}`}
      onKeyDown={onKeyDown}
      onDoubleClick={() => pane.keep(null)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width: pane.width };
      }}
      // While it is dragged only the grid is laid out again; nothing is drawn anew.
      onPointerMove={(event) => from.current && event.currentTarget.closest<HTMLElement>("[data-panes]")?.style.setProperty(variable, `${at(event)}px`)}
      onPointerUp={(event) => {
        if (!from.current) return;
        const moved = event.clientX !== from.current.x;
        const width = at(event);
        from.current = null;
        if (moved) pane.keep(width);
      }}
      onPointerCancel={() => { from.current = null; }}
    />
  );
}
