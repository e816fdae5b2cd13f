import type { Cell, CellCitation, Column, Row, Value } from "./types";

/** What a cell shows: a state with a sign of its own, so that colour is never needed to tell two apart. */
export type Look = "queued" | "found" | "candidate" | "conflict" | "not_found" | "failed" | "stale" | "accepted" | "corrected" | "rejected";

export const LOOKS: Record<Look, { sign: string; name: string }> = {
  queued: { sign: "…", name: "not answered yet" },
  found: { sign: "", name: "found" },
  candidate: { sign: "?", name: "not confirmed" },
  conflict: { sign: "≠", name: "does not agree" },
  not_found: { sign: "–", name: "nothing found" },
  failed: { sign: "!", name: "failed" },
  stale: { sign: "↻", name: "of an earlier version" },
  accepted: { sign: "✓", name: "accepted" },
  corrected: { sign: "✎", name: "corrected by hand, without a quotation" },
  rejected: { sign: "✗", name: "rejected" },
};

export function lookOf(cell: Cell | undefined): Look {
  if (!cell) return "queued";
  if (cell.verdict?.current) return cell.verdict.verdict;
  if (cell.state !== "stale" && cell.value?.conflict) return "conflict";
  return cell.state;
}

/** The value that stands: a person's before the machine's. */
export function valueOf(cell: Cell | undefined): Value | null {
  if (!cell) return null;
  if (cell.verdict?.current) return cell.verdict.verdict === "rejected" ? null : cell.verdict.value;
  return cell.value;
}

/** What a cell shows: the value that stands, or the one that was rejected. */
export const textOf = (cell: Cell | undefined): string => (lookOf(cell) === "rejected" ? cell?.value : valueOf(cell))?.text ?? "";

/** What stands in a cell without a value: what the document was found to hold, though a person has judged it. */
export const absenceOf = (cell: Cell | undefined): string => {
  const look = lookOf(cell);
  return LOOKS[(look === "accepted" || look === "rejected") && cell ? cell.state : look].name;
};

export const placeOf = (citation: CellCitation): string =>
  [citation.paged ? `page ${citation.page}` : "", citation.section_label ? `section ${citation.section_label}` : ""].filter(Boolean).join(", ") || "in the text";

const SENTENCE = 40;
const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
/** Whether a long value stands in its quotation, so that it need not be said twice. */
export const isQuoted = (text: string, citations: readonly CellCitation[]): boolean =>
  text.length >= SENTENCE && citations.some((citation) => plain(citation.quote).includes(plain(text)));

/** A key that sorts by meaning: dates and numbers before their wording. */
function keyOf(value: Value | null): number | string | null {
  if (!value) return null;
  if (typeof value.number === "number") return value.number;
  return (value.type === "date" ? value.iso : null) ?? value.text.toLowerCase();
}

/** Rows in the order of a column's values; rows without a value last, in either direction. */
export function sorted(rows: readonly Row[], column: string, descending: boolean): Row[] {
  const keyed = rows.map((row) => ({ row, key: column === "" ? row.document.filename.toLowerCase() : keyOf(valueOf(row.cells.get(column))) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    const order = typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : String(a.key).localeCompare(String(b.key));
    return descending ? -order : order;
  });
  return keyed.map(({ row }) => row);
}

/** Cells that a person has judged, of those that have an answer or a verdict. */
export function checkedOf(rows: readonly Row[]): { checked: number; total: number } {
  let [checked, total] = [0, 0];
  for (const row of rows) {
    for (const cell of row.cells.values()) {
      total += 1;
      if (cell.verdict?.current) checked += 1;
    }
  }
  return { checked, total };
}

/** Documents that can be asked, and cells that nobody has asked for yet: those of a draft, or of a column that was tried on a few documents. */
export function asked(rows: readonly Row[], columns: readonly Column[]): { documents: number; unasked: number; done: number; total: number } {
  const readable = rows.filter((row) => row.document.current_revision_id !== null);
  const unasked = readable.reduce((sum, row) => sum + columns.filter((column) => !row.cells.has(column.id)).length, 0);
  const progress = columns.map(progressOf);
  return { documents: readable.length, unasked, done: progress.reduce((sum, { done }) => sum + done, 0), total: progress.reduce((sum, { total }) => sum + total, 0) };
}

export function progressOf(column: Column): { done: number; total: number } {
  const total = Object.values(column.states).reduce((sum, n) => sum + n, 0);
  return { done: total - (column.states.queued ?? 0) - (column.states.stale ?? 0), total };
}
