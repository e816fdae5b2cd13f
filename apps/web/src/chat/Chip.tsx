import type { Citation } from "../api/types";
import { shortName } from "../names";
import { placeOf } from "../viewer/marks";
import { WithPreview } from "./answer/Preview";

/** The number of a source. Shows its words on hover, and opens the document at them. */
export function Chip({ citation, onCite }: { citation: Citation; onCite: (citation: Citation) => void }) {
  const source = [shortName(citation.document_name), placeOf(citation)].filter(Boolean).join(", ");
  return (
    <WithPreview citation={citation}>{(preview) => (
    <button
      type="button"
      {...preview}
      onClick={() => onCite(citation)}
      data-citation={citation.citation_id}
      aria-label={`Source ${citation.number}: ${source}. Show the words in the document.`}
      className="mx-0.5 inline-flex h-[1.35em] min-w-[1.35em] -translate-y-[0.1em] items-center justify-center rounded-full bg-wash px-1.5 align-middle font-sans text-[0.72em] font-semibold text-accent ring-1 ring-accent/30 hover:bg-accent hover:text-accent-ink"
    >
      {citation.number}
    </button>
    )}</WithPreview>
  );
}
