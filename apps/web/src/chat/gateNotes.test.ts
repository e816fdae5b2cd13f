import { expect, it } from "vitest";
import { meaningOf, splitNotes } from "./gateNotes";

it("sets the gate's notes apart, each with its meaning, and leaves other brackets", () => {
  const note = "[citation removed: Lease.pdf has pages 1 to 20]";
  const parts = splitNotes(`It ends [no quotation marks here] on page 40 ${note} or later [your words; not found in the documents read].`);
  expect(parts).toEqual(["It ends [no quotation marks here] on page 40 ", note, " or later ", "[your words; not found in the documents read]", "."]);
  expect(meaningOf(note)).toContain("place that does not exist");
  expect(meaningOf(parts[3]!)).toContain("words of your question");
});
