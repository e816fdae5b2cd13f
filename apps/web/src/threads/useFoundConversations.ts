import { useEffect, useState } from "react";
import { get, q } from "../api/http";

const LEAST = 3;
const AFTER_MS = 250;
const NONE: ReadonlyMap<string, string> = new Map();

/** The conversations whose questions or answers have these words, with an excerpt of each; asked for when typing pauses. */
export function useFoundConversations(filter: string): { excerpts: ReadonlyMap<string, string>; searching: boolean } {
  const [found, setFound] = useState<{ words: string; excerpts: ReadonlyMap<string, string> }>({ words: "", excerpts: NONE });
  const words = filter.trim();
  const wanted = words.length >= LEAST;
  useEffect(() => {
    if (!wanted) return;
    const gone = new AbortController();
    const soon = setTimeout(() => {
      // Titles are searched without the server, too.
      void get<{ id: string; excerpt: string }[]>(`/api/conversations/found?words=${q(words)}`, gone.signal)
        .then((list) => setFound({ words, excerpts: new Map(list.map(({ id, excerpt }) => [id, excerpt])) }), () => !gone.signal.aborted && setFound({ words, excerpts: NONE }));
    }, AFTER_MS);
    return () => {
      clearTimeout(soon);
      gone.abort();
    };
  }, [words, wanted]);
  const known = wanted && found.words === words;
  return { excerpts: known ? found.excerpts : NONE, searching: wanted && !known };
}
