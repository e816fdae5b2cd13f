import type { Citation } from "../api/types";
import { kindOf } from "../documents/kinds";
import { sectionName } from "../format";
import { shortName } from "../names";

export interface Section {
  id: string;
  level: number;
  label: string | null;
  title: string | null;
  start: number;
  end: number;
  page_first?: number | null;
}

/**
 * Splits a text into [before, marked, after]. `start` and `end` are offsets in the document's text in code points; strings here
 * count UTF-16 units, so characters outside the BMP count twice.
 */
export function marked(text: string, textStart: number, start: number, end: number): [string, string, string] {
  const first = unitsOf(text, start - textStart);
  const last = unitsOf(text, end - textStart);
  return [text.slice(0, first), text.slice(first, last), text.slice(last)];
}

/** The place of a code point in UTF-16 units. */
export function unitsOf(text: string, points: number): number {
  if (points <= 0) return 0;
  let units = 0;
  for (const character of text) {
    if (points-- === 0) return units;
    units += character.length;
  }
  return text.length;
}

/** Sections that contain the offset, outermost first. */
export const pathTo = (sections: readonly Section[], offset: number): Section[] =>
  sections.filter((section) => section.start <= offset && offset < section.end).sort((a, b) => a.level - b.level || a.start - b.start);

const pages = (citation: Citation): string =>
  !citation.paged ? "" : citation.page_last > citation.page_first ? `Pages ${citation.page_first}–${citation.page_last}` : `Page ${citation.page_first}`;

/** `Section 12.1 (Termination), Page 8` */
export const placeOf = (citation: Citation): string => [sectionName(citation.section_label, citation.section_title), pages(citation)].filter(Boolean).join(", ");

/** `Lease of High Street, Section 12.1 (Termination), Page 8` */
export const fullCitation = (citation: Citation): string => [shortName(citation.document_name), placeOf(citation)].filter(Boolean).join(", ");

export const citationText = (citation: Citation): string => `“${citation.text.replace(/\s+/g, " ").trim()}” (${fullCitation(citation)})`;

const SHORT: [RegExp, string][] = [[/^schedule\s+/i, "sch "], [/^annex(?:ure)?\s+/i, "annex "], [/^appendix\s+/i, "app "], [/^article\s+/i, "art "], [/^part\s+/i, "pt "], [/^chapter\s+/i, "ch "], [/^division\s+/i, "div "], [/^(?:section|s)\s+/i, "s "], [/^(?:clause|cl)\s+/i, "cl "]];

/** The marks of list items with which the quoted words begin, such as "(b)(ii)", where a numbered clause is cited without them. */
function itemOf({ section_label: label, text }: Citation): string {
  const marks = /^(?:\((?:[a-z]{1,5}|\d{1,2})\)\s*)+/.exec(text.trim())?.[0].replace(/\s/g, "") ?? "";
  return /^\d+(?:\.\d+)*[A-Z]?$/.test(label ?? "") ? marks : "";
}

const LEGISLATION = "Legislation";
const isAct = (filename: string, title: string): boolean => (title ? kindOf(title) === LEGISLATION : false) || kindOf(filename) === LEGISLATION;

/** Citation by the Australian Guide to Legal Citation: the title, then section of an Act, clause, schedule or paragraph, else page. `title`: the title that the document bears, if any. */
export function aglc(citation: Citation, title: string): string {
  const label = citation.section_label && `${citation.section_label}${itemOf(citation)}`;
  const short = SHORT.find(([word]) => word.test(label ?? ""));
  const place = !label ? (citation.paged ? String(citation.page_first) : "") : label.startsWith("[") ? label : short ? label.replace(...short) : `${isAct(citation.document_name, title) ? "s" : "cl"} ${label}`;
  return `${[title || shortName(citation.document_name), place].filter(Boolean).join(" ")}.`;
}
