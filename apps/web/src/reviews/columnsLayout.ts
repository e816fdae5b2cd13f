import type { Column } from "./types";

/** Measures of the grid in pixels. A row holds three lines. */
export const ROW = 72;
export const HEAD = 92;
export const COLUMN = { least: 110, usual: 220, most: 640 };
const FIRST = { usual: 250, narrow: 140 };
/** A narrower grid gives the names of the documents less room. */
const NARROW = 640;

/** Where the columns stand: the names of the documents, then each column's left edge and width. */
export interface ColumnsLayout {
  first: number;
  lefts: readonly number[];
  widths: readonly number[];
}

/** `widths`: of the columns that were given a width of their own, by id. */
export function layoutOf(columns: readonly Column[], widths: Readonly<Record<string, number>>, across: number): ColumnsLayout {
  const first = across < NARROW ? FIRST.narrow : FIRST.usual;
  const lefts: number[] = [];
  const each: number[] = [];
  let left = first;
  for (const { id } of columns) {
    const width = Math.max(COLUMN.least, Math.min(widths[id] ?? COLUMN.usual, COLUMN.most));
    lefts.push(left);
    each.push(width);
    left += width;
  }
  return { first, lefts, widths: each };
}

const KEY = "orderly.review.widths.";

/** The widths that columns of a review were given in this browser. */
export function keptWidths(review: string): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(KEY + review) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

export function keepWidths(review: string, widths: Record<string, number>): Record<string, number> {
  try {
    localStorage.setItem(KEY + review, JSON.stringify(widths));
  } catch {
    // Storage is optional.
  }
  return widths;
}
