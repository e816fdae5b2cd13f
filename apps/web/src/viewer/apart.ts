import { useEffect, useState } from "react";
import { get, q } from "../api/http";

/** Words that reading kept out of the text: struck out, deleted, moved away, or hidden from a person who opens the file. */
export interface Apart {
  kind: "struck" | "deletion" | "move away" | "hidden";
  text: string;
  /** Section, page, slide or cell; "" where unknown. */
  place: string;
  page: number | null;
  /** Of their paragraph, in code points of the document's text. */
  at: number | null;
}

export interface Attached {
  name: string;
  document_id?: string | null;
  status: string | null;
}

export interface Report {
  attachments: Attached[];
  changes: { kind: string; text: string; section?: string | null; place?: string; at?: number | null }[];
  health: { hidden_text?: { page: number | null; text: string }[] } | null;
}

export const KINDS: Record<Apart["kind"], string> = { struck: "struck out", deletion: "deleted", "move away": "moved away", hidden: "hidden" };

const isKind = (kind: string): kind is Apart["kind"] => kind in KINDS;
const PAGE = /^(?:page|slide) (\d+)$/;
/** Hidden cells are told with their place: `Claims, row 3, column C: words`, `Claims!B1: words`, `Hidden sheet Costs: row 2: words`. */
const CELLS = /^(Hidden sheet [^:]+|[^:]+, row \d+(?:, columns? [A-Z]+(?:, [A-Z]+)*)?|[^:]+![A-Z]+\d+): (.+)$/s;
/** Reading separates many pages of hidden words: no more are drawn. */
const MOST = 500;

export function apartOf({ changes, health }: Report): Apart[] {
  const gone = changes.flatMap(({ kind, text, section, place, at }) => {
    const shown = section || place || "";
    return isKind(kind) ? [{ kind, text, place: shown, page: Number(PAGE.exec(shown)?.[1]) || null, at: at ?? null }] : [];
  });
  const hidden = (health?.hidden_text ?? []).map(({ page, text }) => {
    const cells = CELLS.exec(text);
    return { kind: "hidden" as const, text: cells?.[2] ?? text, place: cells?.[1] ?? (page ? `page ${page}` : ""), page, at: null };
  });
  return [...gone, ...hidden].slice(0, MOST);
}

/** Those on a page. A cell's place begins with the title of its sheet, and so does the sheet's text. */
export const apartOn = (all: readonly Apart[], number: number, text: string): Apart[] =>
  all.filter(({ page, place }) => page === number || (page === null && place.includes("!") && text.startsWith(`[Sheet: ${place.slice(0, place.lastIndexOf("!"))}]`)));

/** The entries by the end of the paragraph in which they stood, in UTF-16 units: where the next line begins. */
export function byParagraph(text: string, entries: readonly Apart[]): Map<number, Apart[]> {
  const found = new Map<number, Apart[]>();
  const placed = entries.flatMap((entry) => (entry.at === null ? [] : [{ entry, at: entry.at }])).sort((a, b) => a.at - b.at);
  let points = 0;
  let units = 0;
  for (const { entry, at } of placed) {
    for (; points < at && units < text.length; points += 1) units += text.codePointAt(units)! > 0xffff ? 2 : 1;
    const line = text.indexOf("\n", units);
    const end = (line < 0 ? text.length : line) + 1;
    found.set(end, [...(found.get(end) ?? []), entry]);
  }
  return found;
}

const NOTHING: { attachments: Attached[]; apart: Apart[] } = { attachments: [], apart: [] };

/** What a document holds beside its text: attached files, and words that were kept apart. */
export function useBeside(documentId: string): typeof NOTHING {
  const [beside, setBeside] = useState(NOTHING);
  useEffect(() => {
    const gone = new AbortController();
    setBeside(NOTHING);
    // A text is shown without them, too.
    get<Report>(`/api/documents/${q(documentId)}/health`, gone.signal).then((report) => setBeside({ attachments: report.attachments, apart: apartOf(report) }), () => undefined);
    return () => gone.abort();
  }, [documentId]);
  return beside;
}
