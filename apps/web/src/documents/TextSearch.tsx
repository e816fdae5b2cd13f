import { useEffect, useState } from "react";
import { change, errorMessage, q } from "../api/http";
import { plural, sectionName } from "../format";
import { shortName } from "../names";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { inSight, partsOf, wantedIn, type Wanted, wordsIn } from "./foundWords";

interface Passage {
  id: string;
  document_id: string;
  document_name: string;
  start: number;
  end: number;
  text: string;
  paged: boolean;
  page_first: number;
  section_label: string | null;
  section_title: string | null;
}

interface Written {
  count: number;
  document_count: number;
  place_count: number;
  places: Passage[];
  word_forms: boolean;
  complete: boolean;
}

interface Found {
  words: string;
  wanted: Wanted;
  written: Written;
  near: Passage[];
}

const AFTER_MS = 400;
const MOST = 20;
const MOST_WRITTEN = 50;
/** Of a passage, to find it in its document. */
const BEGINNING = 70;

/** Places in the matter's text: first where the words stand as they were typed, then passages that come near in meaning, those with more of the words first. */
export function TextSearch({ matter, words, onShow }: { matter: string; words: string; onShow: (document: string, page: number | null, words: string) => void }) {
  const [found, set] = useState<Found | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let over = false;
    const timer = setTimeout(() => {
      setFailure("");
      const wanted = wantedIn(words);
      const address = `/api/matters/${q(matter)}`;
      // A phrase in quotation marks asks for itself and nothing near it.
      const near = wanted.phrases.length ? Promise.resolve({ passages: [] }) : change<{ passages: Passage[] }>("POST", `${address}/search`, { query: words, max_results: MOST });
      Promise.all([change<Written>("POST", `${address}/find`, { query: words, limit: MOST_WRITTEN }), near]).then(([written, { passages }]) => {
        if (over) return;
        const isWritten = (passage: Passage) => !written.word_forms && written.places.some((place) => place.document_id === passage.document_id && place.start < passage.end && passage.start < place.end);
        const others = passages.filter((passage) => !isWritten(passage)).map((passage) => ({ passage, has: wordsIn(passage.text, wanted) })).sort((a, b) => b.has - a.has);
        set({ words, wanted, written, near: others.map(({ passage }) => passage) });
      }, (error: unknown) => !over && setFailure(errorMessage(error)));
    }, AFTER_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [matter, words]);
  if (failure) return <div className="p-4"><Notice kind="error">{failure}</Notice></div>;
  if (found?.words !== words) return <p className="flex items-center gap-2 border-t border-rule p-4 text-sm text-soft"><Spinner /> Searching …</p>;
  const { wanted, written, near } = found;
  const asWritten = written.word_forms ? [] : written.places;
  const open = (passage: Passage, at: string) => onShow(passage.document_id, passage.paged ? passage.page_first : null, at);
  return (
    <div className="scroll min-h-0 flex-1 border-t border-rule">
      {asWritten.length > 0 && (
        <section aria-label="As written">
          <p className="eyebrow px-4 pt-3 pb-1" role="status">{`${plural(written.place_count, "place")} with these words, in ${plural(written.document_count, "document")}`}</p>
          <ul aria-label="Found places">{asWritten.map((place, n) => <Place key={n} passage={place} wanted={wanted.phrases.length ? wanted : { phrases: [words.trim()], words: [] }} onOpen={() => open(place, wanted.phrases[0] ?? words.trim())} />)}</ul>
          {written.place_count > asWritten.length && <p className="px-4 py-2 text-sm text-soft">{`The first ${asWritten.length} are shown.`}</p>}
        </section>
      )}
      {!written.complete && <p className="px-4 py-2 text-sm text-warn">There was no time to look into all documents.</p>}
      {near.length > 0 && (
        <section aria-label="Near in meaning">
          <p className="eyebrow px-4 pt-3 pb-1">Near in meaning</p>
          <ul aria-label="Found passages">{near.map((passage) => <Place key={passage.id} passage={passage} wanted={wanted} onOpen={() => open(passage, passage.text.slice(0, BEGINNING).replace(/\s+\S*$/, ""))} />)}</ul>
        </section>
      )}
      {asWritten.length === 0 && near.length === 0 && <p className="p-4 text-sm text-soft">{wanted.phrases.length ? `No document of this matter has ${words} as written.` : `Nothing in this matter comes near “${words}”.`}</p>}
    </div>
  );
}

function Place({ passage, wanted, onOpen }: { passage: Passage; wanted: Wanted; onOpen: () => void }) {
  return (
    <li className="border-b border-rule">
      <button type="button" onClick={onOpen} className="block w-full px-4 py-2.5 text-left hover:bg-wash">
        <span className="block truncate text-sm font-medium" title={passage.document_name}>{shortName(passage.document_name)}</span>
        <span className="block truncate text-xs text-soft">{[passage.paged ? `Page ${passage.page_first}` : "", sectionName(passage.section_label, passage.section_title)].filter(Boolean).join(", ")}</span>
        <span className="mt-0.5 line-clamp-4 font-serif text-sm leading-snug">{inSight(partsOf(passage.text, wanted)).map((part, n) => (n % 2 ? <mark key={n}>{part}</mark> : part))}</span>
      </button>
    </li>
  );
}
