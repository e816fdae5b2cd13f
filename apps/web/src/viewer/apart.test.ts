import { describe, expect, it } from "vitest";
import { apartOf, apartOn, byParagraph } from "./apart";

const REPORT = {
  attachments: [],
  changes: [
    { kind: "insertion", text: "$900", at: 0 },
    { kind: "struck", text: "$850", section: "2 Rent", at: 3 },
    { kind: "struck", text: "old", section: "", place: "page 2" },
    { kind: "struck", text: "9", place: "Q1 costs!B5" },
  ],
  health: { hidden_text: [{ page: 1, text: "Claims, row 3, columns B, C: Birch" }, { page: 2, text: "Note: see row 3" }] },
};

describe("words that were kept apart", () => {
  it("leaves out what is in the text, and names the place", () => {
    expect(apartOf(REPORT).map(({ kind, place, page }) => [kind, place, page])).toEqual([["struck", "2 Rent", null], ["struck", "page 2", 2], ["struck", "Q1 costs!B5", null], ["hidden", "Claims, row 3, columns B, C", 1], ["hidden", "page 2", 2]]);
  });
  it("finds those of a page, also of a sheet by its title", () => {
    const all = apartOf(REPORT);
    expect(apartOn(all, 2, "Text").map(({ text }) => text)).toEqual(["old", "Note: see row 3"]);
    expect(apartOn(all, 3, "[Sheet: Q1 costs]\nA").map(({ text }) => text)).toEqual(["9"]);
  });
  it("places words behind their paragraph, beyond signs of two units too", () => {
    const [entry] = apartOf(REPORT);
    expect([...byParagraph("😀b\ncd\nef", [entry!]).keys()]).toEqual([7]);
    expect([...byParagraph("😀b\ncd", [entry!]).keys()]).toEqual([7]);
  });
});
