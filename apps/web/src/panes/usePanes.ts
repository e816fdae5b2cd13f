import { useSyncExternalStore } from "react";
import { useStoredState } from "../useStoredState";

/** Widths in pixels. */
const LEFT = { least: 200, usual: 248, most: 420 };
/** `readable`: with less, the conversations give way. */
const SOURCE = { least: 400, readable: 520, part: 0.44 };
const DOCUMENTS = { least: 280, readable: 280, usual: 352, most: 640 };
/** Narrower windows have one pane; the others are drawers. */
const ONE_PANE = 820;

export type Beside = "source" | "documents";

export interface Panes {
  /** Whether the conversations have a pane, and not a drawer. */
  hasLeft: boolean;
  /** Whether a source or the documents have a pane. */
  hasRight: boolean;
  left: Pane;
  right: Pane;
}

export interface Pane {
  width: number;
  least: number;
  most: number;
  /** null: the usual width again. */
  keep: (width: number | null) => void;
}

const between = (least: number, width: number, most: number): number => Math.round(Math.max(least, Math.min(width, most)));

/** Paper has another width, for which nothing is opened or closed. */
let seen = 0;
const widthOfWindow = (): number => (seen && matchMedia("print").matches ? seen : (seen = innerWidth));

const onResize = (listener: () => void): (() => void) => {
  addEventListener("resize", listener);
  return () => removeEventListener("resize", listener);
};

/**
 * Which panes there are and how wide they are, as the user has set them and as far as the window allows. What is least important gives way first: beside a source the conversations,
 * in a window without a source the documents. `main`: the width that the middle needs.
 */
export function panesOf(window: number, main: number, beside: Beside | null, kept: { left: number | null; source: number | null; documents: number | null }): Omit<Panes, "left" | "right"> & { left: Omit<Pane, "keep">; right: Omit<Pane, "keep"> } {
  const wished = between(LEFT.least, kept.left ?? LEFT.usual, LEFT.most);
  const bounds = beside === "documents" ? DOCUMENTS : SOURCE;
  const hasRight = beside === "source" ? window >= Math.max(ONE_PANE, main + bounds.least) : beside === "documents" && window >= LEFT.usual + main + bounds.least;
  const rest = window - main - (hasRight ? bounds.readable : 0);
  const hasLeft = window >= ONE_PANE && rest >= LEFT.least;
  const left = between(LEFT.least, wished, Math.max(LEFT.least, Math.min(LEFT.most, rest)));
  const most = Math.max(bounds.least, window - main - (hasLeft ? left : 0));
  const asked = beside === "documents" ? (kept.documents ?? DOCUMENTS.usual) : (kept.source ?? window * SOURCE.part);
  const mostRight = beside === "documents" ? Math.min(most, DOCUMENTS.most) : most;
  return {
    hasLeft, hasRight,
    left: { width: left, least: LEFT.least, most: Math.max(LEFT.least, Math.min(LEFT.most, rest)) },
    right: { width: between(bounds.least, asked, mostRight), least: bounds.least, most: mostRight },
  };
}

export function usePanes(main: number, beside: Beside | null): Panes {
  const width = useSyncExternalStore(onResize, widthOfWindow);
  const [left, keepLeft] = useStoredState<number | null>("pane.left", null);
  const [source, keepSource] = useStoredState<number | null>("pane.source", null);
  const [documents, keepDocuments] = useStoredState<number | null>("pane.documents", null);
  const panes = panesOf(width, main, beside, { left, source, documents });
  return { ...panes, left: { ...panes.left, keep: keepLeft }, right: { ...panes.right, keep: beside === "documents" ? keepDocuments : keepSource } };
}
