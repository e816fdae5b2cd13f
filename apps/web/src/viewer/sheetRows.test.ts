import { expect, test } from "vitest";
import { sheetRows } from "./sheetRows";

test("lines with tabs are tables, and each cell knows where it begins", () => {
  const text = "[Sheet: Leases]\nPremises\tRent\nEagle St\t$5\nEnd";
  const groups = sheetRows(text);
  expect(groups.map(({ table, rows }) => [table, rows.length])).toEqual([[false, 1], [true, 2], [false, 1]]);
  for (const { text: cell, at } of groups.flatMap(({ rows }) => rows.flat())) expect(text.slice(at, at + cell.length)).toBe(cell);
});
