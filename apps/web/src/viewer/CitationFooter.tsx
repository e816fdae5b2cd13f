import { useEffect, useState } from "react";
import type { Citation } from "../api/types";
import { CopyMenu } from "./CopyMenu";
import { placeOf } from "./marks";
import { pageOf, readingOf } from "./pages";

/** The quotation, ways to copy it, and what it was checked against. */
export function CitationFooter({ citation }: { citation: Citation }) {
  const [reading, setReading] = useState<string | null>(null);
  useEffect(() => {
    let over = false;
    if (citation.paged) pageOf(citation.document_id, citation.page_first, citation.revision_id).then((page) => !over && setReading(readingOf(page)), () => undefined);
    else setReading("");
    return () => { over = true; };
  }, [citation]);
  const place = placeOf(citation);
  return (
    <div className="@container border-t border-rule bg-sheet px-4 py-3">
      <div className="flex flex-col gap-2 @md:flex-row @md:items-start @md:gap-3">
        <blockquote tabIndex={0} className="scroll max-h-[6.5lh] min-w-0 short:max-h-[2.7lh] flex-1 font-serif text-[0.9375rem] leading-snug">“{citation.text.trim()}”</blockquote>
        <CopyMenu citation={citation} />
      </div>
      <p className="mt-1.5 text-xs text-soft">
        {place}{place && ". "}
        {reading === "" && "Checked against the stored text, letter for letter."}
        {reading && <span className="text-warn">{`${reading}: compare the words with the picture.`}</span>}
      </p>
    </div>
  );
}
