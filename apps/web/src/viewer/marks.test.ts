import { expect, it } from "vitest";
import type { Citation } from "../api/types";
import { aglc, citationText, marked, pathTo, placeOf } from "./marks";

const cited = (over: Partial<Citation>): Citation => ({
  citation_id: "c", document_id: "d", document_name: "Smith_Lease.pdf", revision_id: "r", start: 0, end: 1, text: "ninety\n days", paged: true,
  page_first: 8, page_last: 8, section_label: "12.1", section_title: "Termination", rectangles: [], ...over,
});

it("counts characters as the server does, not as the browser", () => {
  expect(marked("𝒜b😀cd", 10, 12, 14)).toEqual(["𝒜b", "😀c", "d"]);
  expect(marked("abc", 10, 8, 12)).toEqual(["", "ab", "c"]);
  expect(marked("abc", 10, 20, 30)).toEqual(["abc", "", ""]);
});

it("names a place as lawyers do", () => {
  expect(placeOf(cited({}))).toBe("Section 12.1 (Termination), Page 8");
  expect(placeOf(cited({ section_label: "Schedule 2", section_title: "Fees", page_last: 9 }))).toBe("Schedule 2 (Fees), Pages 8–9");
  expect(placeOf(cited({ paged: false, section_label: "[42]" }))).toBe("[42]");
  expect(citationText(cited({}))).toBe("“ninety days” (Smith Lease, Section 12.1 (Termination), Page 8)");
});

it("pins by clause, schedule or paragraph, else by page", () => {
  expect(aglc(cited({}))).toBe("‘ninety days’: Smith Lease, cl 12.1.");
  expect(aglc(cited({ section_label: "Schedule 2" }))).toBe("‘ninety days’: Smith Lease, sch 2.");
  expect(aglc(cited({ section_label: "[42]" }))).toBe("‘ninety days’: Smith Lease, [42].");
  expect(aglc(cited({ section_label: null }))).toBe("‘ninety days’: Smith Lease, 8.");
});

it("finds the way to a place through the sections, outermost first", () => {
  const section = (id: string, level: number, start: number, end: number) => ({ id, level, start, end, label: id, title: null });
  expect(pathTo([section("12", 1, 10, 90), section("12.1", 2, 20, 50), section("12.2", 2, 50, 90)], 30).map((s) => s.id)).toEqual(["12", "12.1"]);
});
