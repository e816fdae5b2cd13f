import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { Citation } from "../../api/types";
import { Names } from "../../names";
import { Sources } from "./Sources";

const citation = (number: number) => [number, { number, citation_id: `c${number}`, document_id: number % 2 ? "a" : "b", document_name: number % 2 ? "Lease.pdf" : "Deed.pdf", paged: true, page_first: number, page_last: number } as Citation] as const;
const drawn = (most: number) => {
  const numbers = Array.from({ length: most }, (_, n) => n + 1);
  return renderToStaticMarkup(createElement(Sources, { sources: numbers.map((number) => ({ number, name: "" })), citations: new Map(numbers.map(citation)), names: new Names(["Lease.pdf", "Deed.pdf"]), onCite: () => undefined }));
};

it("groups sources by document and folds them beyond eight", () => {
  expect(drawn(8).match(/>Page \d/g)).toHaveLength(8);
  expect(drawn(8)).not.toContain("Show all");
  expect(drawn(9).match(/>Page \d/g)).toHaveLength(8);
  expect(drawn(9)).toContain("Show all 9 sources");
  expect(drawn(4).match(/>(?:Lease|Deed|Page \d)</g)).toEqual([">Lease<", ">Page 1<", ">Page 3<", ">Deed<", ">Page 2<", ">Page 4<"]);
});
