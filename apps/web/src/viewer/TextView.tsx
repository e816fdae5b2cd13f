import { useEffect, useRef, useState } from "react";
import { get, inChat, q, errorMessage } from "../api/http";
import type { Citation } from "../api/types";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { marked, pathTo, type Section } from "./marks";

interface Slice {
  revision_id: string;
  text: string;
  start: number;
  end: number;
}

const AROUND = 6_000;
const FIRST = 20_000;

/** Text view for formats without pages: the section with the quotation highlighted. */
export function TextView({ documentId, length, citation, sections }: {
  documentId: string;
  /** Offsets in the whole text, in code points; null while unknown. */
  length: number | null;
  citation: Citation | undefined;
  sections: readonly Section[];
}) {
  const [slice, setSlice] = useState<Slice | null>(null);
  const [failure, setFailure] = useState("");
  const mark = useRef<HTMLElement>(null);
  const home = citation ? pathTo(sections, citation.start).findLast((section) => section.end - section.start <= 2 * AROUND) : undefined;
  const start = citation ? Math.max(0, Math.min(home?.start ?? Infinity, citation.start - AROUND)) : 0;
  const end = Math.min(citation ? Math.max(home?.end ?? 0, citation.end + AROUND) : FIRST, length ?? 0);

  useEffect(() => {
    if (end <= start) return;
    const gone = new AbortController();
    get<Slice>(`/api/documents/${q(documentId)}/text?start=${start}&end=${end}`, gone.signal)
      .then(setSlice, (error) => !gone.signal.aborted && setFailure(errorMessage(error)));
    return () => gone.abort();
  }, [documentId, start, end, citation]);

  useEffect(() => {
    if (slice) mark.current?.scrollIntoView({ block: "center" });
  }, [slice]);

  if (failure) return <div className="p-4"><Notice kind="error">{failure}</Notice></div>;
  if (length !== null && end <= start) return citation ? <Earlier documentId={documentId} citation={citation} /> : <div className="p-4"><Notice kind="note">There is no text in it.</Notice></div>;
  if (!slice) return <p className="flex items-center gap-2 p-4 text-sm text-soft"><Spinner /> Fetching the text …</p>;
  if (citation && citation.revision_id !== slice.revision_id) return <Earlier documentId={documentId} citation={citation} />;
  const [before, words, after] = citation ? marked(slice.text, slice.start, citation.start, citation.end) : [slice.text, "", ""];
  return (
    <div className="scroll h-full bg-sheet px-6 py-5" tabIndex={0} role="group" aria-label="Text">
      {slice.start > 0 && <p className="mb-3 text-center text-xs text-soft">…</p>}
      <p className="mx-auto max-w-prose font-serif text-base leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]" data-testid="text">
        {before}{words && <mark ref={mark} data-testid="mark">{words}</mark>}{after}
      </p>
    </div>
  );
}

/** The excerpt of a cited older version, as an image from the server. */
function Earlier({ documentId, citation }: { documentId: string; citation: Citation }) {
  return (
    <div className="scroll h-full bg-sunk p-4">
      <Notice kind="warning">The document has a newer version. This is the one that was quoted.</Notice>
      <img src={inChat(`/api/documents/${q(documentId)}/pages/1/image?citation=${q(citation.citation_id)}`)} alt={`Excerpt of the earlier version, the quoted words marked: ${citation.text.slice(0, 200)}`} className="mt-3 w-full bg-white shadow-md" />
    </div>
  );
}
