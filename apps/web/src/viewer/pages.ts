import { get, q } from "../api/http";

/** One page of a revision, with the place of each line of its text. */
export interface Page {
  revision_id: string;
  number: number;
  text: string;
  start: number;
  end: number;
  source: "native" | "ocr" | "none";
  confidence: number | null;
  ocr_engine: string | null;
  /** Points; null for formats without page layout. */
  width: number | null;
  height: number | null;
  page_count: number;
  /** start, end, x0, y0, x1, y1 */
  lines: [number, number, number, number, number, number][];
}

const kept = new Map<string, Promise<Page>>();
const MOST = 60;

/** Pages are asked for once; the newest sixty are kept. */
export function pageOf(document: string, number: number, revision: string | undefined): Promise<Page> {
  const address = `/api/documents/${q(document)}/pages/${number}${revision ? `?revision_id=${q(revision)}` : ""}`;
  const known = kept.get(address);
  if (known) return known;
  const found = get<Page>(address);
  kept.set(address, found);
  found.catch(() => kept.delete(address));
  if (kept.size > MOST) kept.delete(kept.keys().next().value!);
  return found;
}

const FONT = "16px serif";
const canvas = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
if (canvas) canvas.font = FONT;
const widthOf = (text: string): number => canvas?.measureText(text).width ?? text.length;

/** The box of a span on its page, line by line, in points. A partly covered line is cut where a common typeface has the characters: an "m" is wider than an "i". */
export function boxesOf(page: Page, start: number, end: number): [number, number, number, number][] {
  const touched = page.lines.filter(([from, to]) => Math.max(start, from) < Math.min(end, to));
  if (!touched.length) return [];
  const characters = Array.from(page.text);
  return touched.map(([from, to, x0, y0, x1, y1]) => {
    const line = characters.slice(from - page.start, to - page.start).join("").trimEnd();
    const whole = widthOf(line) || 1;
    const at = (offset: number) => x0 + (x1 - x0) * Math.min(1, widthOf(characters.slice(from - page.start, offset - page.start).join("")) / whole);
    return [at(Math.max(start, from)), y0, at(Math.min(end, to)), y1];
  });
}

/** How a page's text came about, where a machine read it from a picture. */
export const readingOf = (page: Pick<Page, "source" | "confidence">): string =>
  page.source !== "ocr" ? "" : `Read by OCR${page.confidence === null ? "" : `, confidence ${Math.round(page.confidence)}`}`;
