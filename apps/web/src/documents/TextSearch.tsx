import { useEffect, useState } from "react";
import { change, errorMessage, q } from "../api/http";
import { sectionName } from "../format";
import { shortName } from "../names";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";

interface Passage {
  id: string;
  document_id: string;
  document_name: string;
  text: string;
  paged: boolean;
  page_first: number;
  section_label: string | null;
  section_title: string | null;
}

const AFTER_MS = 400;
const MOST = 20;

/** Passages of the matter that come nearest to the words, best first. */
export function TextSearch({ matter, words, onShow }: { matter: string; words: string; onShow: (document: string, page: number | null) => void }) {
  const [found, set] = useState<{ words: string; passages: Passage[] } | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let over = false;
    const timer = setTimeout(() => {
      setFailure("");
      change<{ passages: Passage[] }>("POST", `/api/matters/${q(matter)}/search`, { query: words, max_results: MOST })
        .then(({ passages }) => !over && set({ words, passages }), (error: unknown) => !over && setFailure(errorMessage(error)));
    }, AFTER_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [matter, words]);
  if (failure) return <div className="p-4"><Notice kind="error">{failure}</Notice></div>;
  if (found?.words !== words) return <p className="flex items-center gap-2 border-t border-rule p-4 text-sm text-soft"><Spinner /> Searching …</p>;
  return (
    <ul aria-label="Found passages" className="scroll min-h-0 flex-1 divide-y divide-rule border-t border-rule">
      {found.passages.map((passage) => (
        <li key={passage.id}>
          <button type="button" onClick={() => onShow(passage.document_id, passage.paged ? passage.page_first : null)} className="block w-full px-4 py-2.5 text-left hover:bg-wash">
            <span className="block truncate text-sm font-medium">{shortName(passage.document_name)}</span>
            <span className="block truncate text-xs text-soft">{[passage.paged ? `Page ${passage.page_first}` : "", sectionName(passage.section_label, passage.section_title)].filter(Boolean).join(", ")}</span>
            <span className="mt-0.5 line-clamp-3 font-serif text-sm leading-snug">{passage.text}</span>
          </button>
        </li>
      ))}
      {found.passages.length === 0 && <li className="p-4 text-sm text-soft">Nothing in this matter comes near “{words}”.</li>}
    </ul>
  );
}
