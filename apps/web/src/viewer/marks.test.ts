import { expect, it } from "vitest";
import type { Citation } from "../api/types";
import { aglc, citationText, fullCitation, marked, pathTo, placeOf } from "./marks";
import { titleIn } from "./titles";

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
  expect(fullCitation(cited({ section_label: null, section_title: null }))).toBe("Smith Lease, Page 8");
  expect(citationText(cited({}))).toBe("“ninety days” (Smith Lease, Section 12.1 (Termination), Page 8)");
});

it("pins by clause, schedule or paragraph, else by page, under the document's own title", () => {
  expect(aglc(cited({}), "")).toBe("Smith Lease cl 12.1.");
  expect(aglc(cited({ section_label: "Schedule 2" }), "Lease of Shop 3")).toBe("Lease of Shop 3 sch 2.");
  expect(aglc(cited({ section_label: "[42]" }), "")).toBe("Smith Lease [42].");
  expect(aglc(cited({ section_label: null }), "")).toBe("Smith Lease 8.");
  expect(aglc(cited({ document_name: "Retail Leases Act 1994.html", section_label: "33" }), "")).toBe("Retail Leases Act 1994 s 33.");
  expect(aglc(cited({ section_label: "7.2", text: "(b) the Tenant pays;" }), "")).toBe("Smith Lease cl 7.2(b).");
  expect(aglc(cited({ section_label: "7.2(b)", text: "(b) the Tenant pays;" }), "")).toBe("Smith Lease cl 7.2(b).");
});

it.each([
  ["Exhibit 10.26\n\nAGENCY AGREEMENT\n\nTHIS AGENCY AGREEMENT, dated", "Agency Agreement"],
  ["Promotion Agreement Between      Smith Corporation and Go, Inc.\n\nAGREEMENT", "Promotion Agreement Between Smith Corporation and Go, Inc"],
  ["Supply Co\n1 High Street\n\nDEED OF GUARANTEE AND INDEMNITY\n", "Deed of Guarantee and Indemnity"],
  ["EXHIBIT 10.9 DISTRIBUTOR AGREEMENT\nThis Distributor Agreement is", "Distributor Agreement"],
  ["AGREEMENT\n\nThis Agreement is made under the lease", ""],
  ["Dear Ms Smith\nWe refer to the lease", ""],
])("reads the title that a document bears: %j", (opening, title) => expect(titleIn(opening)).toBe(title));

it("finds the way to a place through the sections, outermost first", () => {
  const section = (id: string, level: number, start: number, end: number) => ({ id, level, start, end, label: id, title: null });
  expect(pathTo([section("12", 1, 10, 90), section("12.1", 2, 20, 50), section("12.2", 2, 50, 90)], 30).map((s) => s.id)).toEqual(["12", "12.1"]);
});
