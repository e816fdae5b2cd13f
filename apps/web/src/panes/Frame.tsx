import type { CSSProperties, ReactNode } from "react";
import { Drawer } from "../ui/Dialog";
import { Divider } from "./Divider";
import type { Panes } from "./usePanes";

export interface Right {
  label: string;
  panel: ReactNode;
}

/** The panes of the page: conversations, what is worked on, and a source or the documents. What has no room is a drawer. */
export function Frame({ panes, left, right, open, onLeftClosed, onRightClosed, children }: {
  panes: Panes; left: ReactNode; right: Right | null;
  /** Whether the drawers are open, of those that have no pane. */
  open: { left: boolean; right: boolean };
  onLeftClosed: () => void; onRightClosed: () => void; children: ReactNode;
}) {
  const beside = panes.hasRight ? right : null;
  const columns = [panes.hasLeft ? "var(--left)" : "", "minmax(0,1fr)", beside ? "var(--right)" : ""].filter(Boolean).join(" ");
  const style = { "--left": `${panes.left.width}px`, "--right": `${panes.right.width}px`, gridTemplateColumns: columns } as CSSProperties;
  return (
    <div data-panes style={style} className="grid h-dvh grid-rows-[minmax(0,1fr)] print:block print:h-auto">
      <a href="#main" data-noprint className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-sheet focus:px-3 focus:py-2">Skip to the conversation</a>
      {panes.hasLeft && <div data-noprint className="relative min-w-0 border-r border-rule">{left}<Divider pane={panes.left} side="left" label="Width of the conversations" variable="--left" /></div>}
      {children}
      {beside && (
        <aside data-noprint aria-label={beside.label} className="relative min-h-0 min-w-0 border-l border-rule">
          {beside.panel}
          <Divider pane={panes.right} side="right" label={`Width of the ${beside.label === "Source" ? "source" : "documents"}`} variable="--right" />
        </aside>
      )}
      {!panes.hasLeft && open.left && <Drawer side="left" label="Conversations" onClose={onLeftClosed}>{left}</Drawer>}
      {!beside && right && open.right && <Drawer side="right" label={right.label} onClose={onRightClosed}>{right.panel}</Drawer>}
    </div>
  );
}
