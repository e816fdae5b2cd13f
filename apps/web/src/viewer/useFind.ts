import { useEffect, useState } from "react";
import { get, q } from "../api/http";
import type { Span } from "./PageSheet";

interface Text {
  pages: { number: number; text: string }[];
  complete: boolean;
}

export interface Hit {
  page: number;
  /** Offsets in the page's text, in code points. */
  span: Span;
}

const kept = new Map<string, Promise<Text["pages"]>>();
const MOST = 4;

/** The text of all pages, asked for once. */
function wholeText(document: string): Promise<Text["pages"]> {
  const known = kept.get(document);
  if (known) return known;
  const read = async () => {
    const pages: Text["pages"] = [];
    for (;;) {
      const part = await get<Text>(`/api/documents/${q(document)}/text${pages.length ? `?first_page=${pages.at(-1)!.number + 1}` : ""}`);
      pages.push(...part.pages);
      if (part.complete || !part.pages.length) return pages;
    }
  };
  const found = read();
  kept.set(document, found);
  found.catch(() => kept.delete(document));
  if (kept.size > MOST) kept.delete(kept.keys().next().value!);
  return found;
}

/** Places of the words in a document with pages; line breaks and runs of spaces count as one space. */
export function hitsIn(pages: readonly { number: number; text: string }[], words: string): Hit[] {
  const pattern = words.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
  if (!pattern) return [];
  return pages.flatMap(({ number, text }) =>
    [...text.matchAll(new RegExp(pattern, "giu"))].map((found) => {
      const start = Array.from(text.slice(0, found.index)).length;
      return { page: number, span: { start, end: start + Array.from(found[0]).length } };
    }));
}

/** null: not looked yet. */
export function useFind(document: string, words: string): Hit[] | null {
  const [found, set] = useState<{ words: string; hits: Hit[] } | null>(null);
  useEffect(() => {
    if (words.trim().length < 2) return set(null);
    let over = false;
    const timer = setTimeout(() => void wholeText(document).then((pages) => !over && set({ words, hits: hitsIn(pages, words) }), () => undefined), 200);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [document, words]);
  return found?.words === words ? found.hits : null;
}
