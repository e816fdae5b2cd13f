import { expect, it } from "vitest";
import type { Citation } from "../../api/types";
import { valueText } from "../../format";
import { type DocumentQuotations, readAnswer } from "./parse";

const names = ["", "LEASE_OF_SHOP.pdf", "Deed.pdf", "LEASE_OF_SHOP.pdf"];
const citations = new Map([1, 2, 3].map((number) => [number, { number, document_id: number === 2 ? "b" : "a", document_name: names[number] } as Citation]));
const one = (text: string, number: number, more: object = {}) => ({ text, numbers: [number], lead: "", topic: "", ...more });
const read = (...lines: string[]) => readAnswer(lines.join("\n").replace(/\[(\d)\]/g, "\uE002$1\uE003"), citations);
const documents = (...lines: string[]): DocumentQuotations[] => read(...lines).parts.flatMap((part) => (part.kind === "quotations" ? part.documents : []));

it("groups rows by document, value first, and sets notes apart", () => {
  const { parts, coverage, notes } = read(
    "In 2 of 4 documents:", "", "- **LEASE_OF_SHOP.pdf** (P90D): “Ninety days.” [1] “It ends.” [3]", "- **Deed.pdf** (New York (USA)): “Never.” [2]", "", "Likely, not confirmed:", "", "- “Perhaps.” [3]", "",
    "Asked: 4 of 16 documents.", "Not asked yet: 12 documents. Go on with first=4.", "Not read: page 3.", "Engine: Offline engine", "_Offline planner: no language model took part._");
  expect(parts).toEqual([
    { kind: "prose", text: "In 2 of 4 documents:" },
    { kind: "quotations", documents: [
      { documentId: "a", name: "LEASE_OF_SHOP.pdf", value: "P90D", quotations: [one("“Ninety days.”", 1), one("“It ends.”", 3)] },
      { documentId: "b", name: "Deed.pdf", value: "New York (USA)", quotations: [one("“Never.”", 2)] },
    ] },
    { kind: "prose", text: "Likely, not confirmed:" },
    { kind: "quotations", documents: [{ documentId: "a", name: "LEASE_OF_SHOP.pdf", value: "", quotations: [one("“Perhaps.”", 3)] }] },
    { kind: "prose", text: "Not read: page 3." },
  ]);
  expect(coverage).toEqual({ asked: 4, total: 16 });
  expect(notes).toEqual(["Asked: 4 of 16 documents.", "Not asked yet: 12 documents.", "Engine: Offline engine", "Offline planner: no language model took part."]);
  expect(["P90D", "P1Y", "2019-03-05", "New York"].map(valueText)).toEqual(["90 days", "1 year", expect.stringMatching(/5.*March.*2019|March.*5.*2019/), "New York"]);
});

it("reads what language models write: the name as people say it, words before a quotation, subjects", () => {
  expect(documents("1. **Lease of shop** — ninety days: “Ninety days.” [1]", "- **The deed**: it never ends, see \"Never.\" [2]")).toMatchObject([
    { documentId: "a", quotations: [{ text: "“Ninety days.”", lead: "ninety days:" }] },
    { documentId: "b", quotations: [{ text: '"Never."', lead: "it never ends, see" }] },
  ]);
  expect(documents("**Notice**", "- “Ninety days.” [1]", "", "**Term:**", "“It ends.” [3]", "- **Renewal** (none): “Perhaps.” [3]")).toMatchObject([
    { documentId: "a", quotations: [{ topic: "Notice" }, { topic: "Term" }, { topic: "Renewal (none)" }] },
  ]);
});

it("leaves prose, quotations inside sentences and unknown sources as they are", () => {
  for (const text of ["The lease says “Ninety days.” [1] and no more.\n“Unknown.” [9]", "- **Notice**: it is “Ninety days.” [1]", "- **Deed.pdf**: “Never.” [2] But see below."]) {
    expect(read(text).parts).toEqual([{ kind: "prose", text: text.replace(/\[(\d)\]/g, "\uE002$1\uE003") }]);
  }
});

it("drops a document's name that stands alone above its quotations, and knows that one was asked", () => {
  const { parts, coverage } = read("In **LEASE_OF_SHOP.pdf**:", "", "“Ninety days.” [1]", "", "Asked: LEASE_OF_SHOP.pdf.");
  expect(documents("Clauses of **LEASE_OF_SHOP.pdf**:", "", "**Term**", "- “Ninety days.” [1]")).toMatchObject([{ quotations: [{ topic: "Term" }] }]);
  expect(parts.map((part) => part.kind)).toEqual(["quotations"]);
  expect(coverage).toEqual({ asked: 1, total: null });
});

it("lists documents without types for programs, ids and the server's times", () => {
  const id = "1505d434-627f-4f49-abf4-cb4a523d3220";
  const listed = `1. Deed.pdf\n   - Type: application/pdf\n   - Size: 95 KB\n   - Status: ready\n   - Uploaded: 2026-11-23 05:13:25\n   ID: ${id}`;
  expect(read("Documents in matter M-1 (2 total):", "", listed, "", listed.replace(/^1/, "2"), "", "That is all.").parts).toEqual([
    { kind: "prose", text: "Documents in matter M-1 (2 total):" },
    { kind: "listing", documents: [{ id, name: "Deed.pdf", status: "ready" }, { id, name: "Deed.pdf", status: "ready" }] },
    { kind: "prose", text: "That is all." },
  ]);
});
