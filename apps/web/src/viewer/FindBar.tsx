import { useEffect, useState } from "react";
import { count } from "../format";
import { IconButton } from "../ui/Button";
import { type Hit, useFind } from "./useFind";

/** Finds words in the whole document, from the visible page on. `words`: what is looked for at first. */
export function FindBar({ documentId, page, words: first, onFound, onClose }: { documentId: string; page: number; words: string; onFound: (hit: Hit | undefined) => void; onClose: () => void }) {
  const [words, setWords] = useState(first);
  const [at, setAt] = useState(0);
  const hits = useFind(documentId, words);
  useEffect(() => {
    const first = hits?.findIndex((hit) => hit.page >= page) ?? -1;
    setAt(Math.max(0, first));
  }, [hits]); // eslint-disable-line -- only a new search starts at the visible page
  useEffect(() => void onFound(hits?.[at]), [hits, at, onFound]);
  const step = (by: number) => hits?.length && setAt((at + by + hits.length) % hits.length);
  return (
    <form role="search" className="flex items-center gap-1 border-b border-rule bg-sheet px-3 py-1.5" onSubmit={(event) => (event.preventDefault(), step(1))}>
      <input
        autoFocus type="search" aria-label="Find in the document" placeholder="Find in the document" value={words} onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), event.preventDefault(), onClose())} className="field min-w-0 flex-1 py-1 text-sm"
      />
      <span className="w-20 text-center text-xs text-soft tabular-nums" role="status">{hits ? (hits.length ? `${count(at + 1)} of ${count(hits.length)}` : "Not found") : ""}</span>
      <IconButton icon="left" size={15} label="Previous place" disabled={!hits?.length} onClick={() => step(-1)} />
      <IconButton icon="right" size={15} label="Next place (Enter)" disabled={!hits?.length} onClick={() => step(1)} />
      <IconButton icon="close" size={15} label="Close the search" onClick={onClose} />
    </form>
  );
}
