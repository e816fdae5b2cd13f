import { useEffect, useRef } from "react";
import type { Citation } from "../api/types";
import { Spinner } from "../ui/Icon";
import type { Apart } from "./apart";
import { ApartWords } from "./KeptApart";
import { marked } from "./marks";
import { type Page, readingOf } from "./pages";

/** The text of the visible page, scrolled to the quoted words. */
export function PageText({ page, citation, apart }: { page: Page | undefined; citation: Citation | undefined; apart: readonly Apart[] }) {
  const words = useRef<HTMLElement>(null);
  // Some browsers return a promise, which must not become the effect's clean-up.
  useEffect(() => void words.current?.scrollIntoView({ block: "center" }), [page, citation]);
  if (!page) return <Spinner />;
  if (!page.text.trim()) return <><p className="text-sm text-soft">This page has no text.</p><ApartWords entries={apart} /></>;
  const [before, quoted, after] = citation ? marked(page.text, page.start, citation.start, citation.end) : [page.text, "", ""];
  const reading = readingOf(page);
  return (
    <>
      {reading && <p className="mb-2 text-sm text-warn">{reading}: a machine's reading of the picture, which may differ from it.</p>}
      <p className="font-serif text-[0.9375rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{before}{quoted && <mark ref={words}>{quoted}</mark>}{after}</p>
      <ApartWords entries={apart} />
    </>
  );
}
