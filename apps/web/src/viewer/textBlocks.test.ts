import { expect, it } from "vitest";
import { textBlocks } from "./textBlocks";

it("draws lines with cells as tables, and begins anew at sections", () => {
  const text = "1. Rent\nThe rent is due.\n\tindented\nShop\tRent\nOne\t$10\n2. Term";
  const blocks = textBlocks(text, new Set([0, text.indexOf("2. Term")]));
  expect(blocks.map(({ kind, rows }) => [kind, rows.length])).toEqual([["lines", 3], ["table", 2], ["lines", 1]]);
  expect(blocks.flatMap(({ rows }) => rows.flat()).every(({ text: piece, at }) => text.slice(at, at + piece.length) === piece)).toBe(true);
  expect(blocks.map(({ from, to }) => text.slice(from, to)).join("")).toBe(text);
  expect(textBlocks(text, new Set([8])).map(({ from }) => from)).toContain(8);
});
