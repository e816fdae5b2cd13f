import { expect, it } from "vitest";
import { filtered, filterOf, testOf } from "./filters";
import type { Cell, Row, Value } from "./types";

const row = (name: string, value: Value | null, more: Partial<Cell> = {}): Row => ({
  document: { id: name, filename: name, status: "ready", status_reason: "", current_revision_id: "r" },
  cells: new Map([["k", { id: "c", column_id: "k", document_id: name, state: value ? "found" : "not_found", edition: 1, changed: 1, value, citations: [], read: null, engine: null, model: null, note: "", verdict: null, ...more }]]),
});
const rows = [
  row("a", { type: "date", text: "1 March 2024", iso: "2024-03-01" }), row("b", { type: "duration", text: "2 years", number: 730 }), row("c", null),
  row("d", { type: "text", text: "Victoria" }, { state: "candidate" }), row("e", { type: "money", text: "AUD 12,500", number: 12500 }),
];

it.each([
  ["victoria", "d"], ["not confirmed", "d"], ["= victoria", "d"], ["!= Victoria", "abce"], ["empty", "c"], ["filled", "abde"], ["state: candidate, not_found", "cd"],
  ["> 18 months", "be"], ["< 2 years", ""], ["> 23 months", "be"], ["< 1 year", ""], ["> 12,000", "e"], ["", "abcde"],
])("%s shows %s", (filter, names) => expect(filtered(rows, { k: filter }).map((r) => r.document.filename).join("")).toBe(names));

it.each([["< 2025-01-01", "a"], ["> 1 March 2023", "a"], ["> 2024-03-01", ""]])("%s compares dates", (filter, names) =>
  expect(filtered([rows[0]!, rows[2]!, rows[3]!], { k: filter }).map((r) => r.document.filename).join("")).toBe(names));

it("writes what it reads", () => {
  for (const filter of ["rent", "= 90 days", "!= x", "< 3", "> 4", "empty", "state: failed, stale"]) expect(filterOf(testOf(filter)!)).toBe(filter);
  expect(filtered(rows, { "": "A", k: "filled" }).map((r) => r.document.filename)).toEqual(["a"]);
});
