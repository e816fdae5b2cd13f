import { describe, expect, it } from "vitest";
import { checkedOf, LOOKS, lookOf, progressOf, sorted, valueOf } from "./standing";
import type { Cell, Column, Row, Value } from "./types";

const cell = (value: Value | null, more: Partial<Cell> = {}): Cell => ({
  id: "c", column_id: "k", document_id: "d", state: value ? "found" : "not_found", edition: 1, changed: 1, value, citations: [], read: null,
  engine: null, model: null, note: "", verdict: null, ...more,
});
const row = (name: string, value: Value | null, more: Partial<Cell> = {}): Row => ({
  document: { id: name, filename: name, status: "ready", status_reason: "", current_revision_id: "r" }, cells: new Map([["k", cell(value, more)]]),
});
const days = (number: number): Value => ({ type: "duration", text: `${number} days`, number });
const names = (rows: Row[]) => rows.map((r) => r.document.filename);

describe("the standing content of a cell", () => {
  it("is a current verdict before the answer, and an earlier verdict never", () => {
    const verdict = { verdict: "corrected" as const, value: days(7), note: "", by: "a", at: "", current: true };
    expect(valueOf(cell(days(90), { verdict }))?.text).toBe("7 days");
    expect(valueOf(cell(days(90), { verdict: { ...verdict, current: false } }))?.text).toBe("90 days");
    expect(valueOf(cell(days(90), { verdict: { ...verdict, verdict: "rejected" } }))).toBeNull();
    expect(lookOf(cell({ ...days(90), conflict: "ninety (30)" }, { state: "candidate" }))).toBe("conflict");
    expect(lookOf(cell(days(90), { state: "stale" }))).toBe("stale");
  });

  it("has a sign of its own for every state", () => {
    expect(new Set(Object.values(LOOKS).map((look) => look.sign)).size).toBe(Object.keys(LOOKS).length);
  });
});

describe("rows", () => {
  const rows = [row("b", days(90)), row("a", null), row("c", days(7), { state: "candidate" })];
  it("are sorted by meaning, those without a value last", () => {
    expect(names(sorted(rows, "k", false))).toEqual(["c", "b", "a"]);
    expect(names(sorted(rows, "k", true))).toEqual(["b", "c", "a"]);
    expect(names(sorted(rows, "", false))).toEqual(["a", "b", "c"]);
  });

  it("are counted where a person has judged their cells", () => {
    const judged = row("d", days(1), { verdict: { verdict: "accepted", value: days(1), note: "", by: "a", at: "", current: true } });
    expect(checkedOf([...rows, judged])).toEqual({ checked: 1, total: 4 });
  });
});

it("counts what a column has done", () => {
  expect(progressOf({ states: { found: 3, queued: 2, stale: 1 } } as unknown as Column)).toEqual({ done: 3, total: 6 });
});
