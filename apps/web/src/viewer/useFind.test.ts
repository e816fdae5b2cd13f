import { expect, it } from "vitest";
import { hitsIn } from "./useFind";

it("finds words over line breaks, in any case, counted in code points", () => {
  const pages = [{ number: 1, text: "𝔄 The Lessee\npays. the  lessee pays?" }, { number: 2, text: "Nothing (a.b)." }];
  expect(hitsIn(pages, "the lessee pays")).toEqual([{ page: 1, span: { start: 2, end: 17 } }, { page: 1, span: { start: 19, end: 35 } }]);
  expect(hitsIn(pages, "(a.b)")).toEqual([{ page: 2, span: { start: 8, end: 13 } }]);
  expect(hitsIn(pages, " ")).toEqual([]);
});
