import { expect, it } from "vitest";
import type { Citation } from "../../api/types";
import { readAnswer } from "./parse";

const citations = new Map([1, 2, 3].map((number) => [number, { number, document_id: number === 2 ? "b" : "a", document_name: number === 2 ? "Deed.pdf" : "Lease.pdf" } as Citation]));

it("groups quotations by document and sets notes apart", () => {
  const { parts, coverage, notes } = readAnswer(
    ["In 2 of 4 documents:", "", "- **Lease.pdf**: “Ninety days.” \uE0021\uE003 “It ends.” \uE0023\uE003", "- **Deed.pdf**: “Never.” \uE0022\uE003", "", "Likely, not confirmed:", "", "“Perhaps.” \uE0023\uE003", "",
      "Asked: 4 of 16 documents.", "Not read: page 3.", "Engine: Offline engine", "_Offline planner: no language model took part._"].join("\n"), citations);
  expect(parts).toEqual([
    { kind: "prose", text: "In 2 of 4 documents:" },
    { kind: "quotations", documents: [
      { documentId: "a", name: "Lease.pdf", quotations: [{ text: "“Ninety days.”", numbers: [1] }, { text: "“It ends.”", numbers: [3] }] },
      { documentId: "b", name: "Deed.pdf", quotations: [{ text: "“Never.”", numbers: [2] }] },
    ] },
    { kind: "prose", text: "Likely, not confirmed:" },
    { kind: "quotations", documents: [{ documentId: "a", name: "Lease.pdf", quotations: [{ text: "“Perhaps.”", numbers: [3] }] }] },
    { kind: "prose", text: "Not read: page 3." },
  ]);
  expect(coverage).toEqual({ asked: 4, total: 16 });
  expect(notes).toHaveLength(3);
});

it("leaves prose, quotations inside sentences and unknown sources as they are", () => {
  const text = "The lease says “Ninety days.” \uE0021\uE003 and no more.\n“Unknown.” \uE0029\uE003";
  expect(readAnswer(text, citations).parts).toEqual([{ kind: "prose", text }]);
});

it("drops a document's name that stands alone above its quotations", () => {
  expect(readAnswer("In **Lease.pdf**:\n\n“Ninety days.” \uE0021\uE003", citations).parts.map((part) => part.kind)).toEqual(["quotations"]);
});
