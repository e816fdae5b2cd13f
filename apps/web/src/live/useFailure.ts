import { useCallback, useEffect, useState } from "react";
import { errorMessage, isUnanswered } from "../api/http";
import { onReachability } from "./reachability";

/** What failed last, in words. What failed for want of a connection goes when the server answers again. */
export function useFailure(): { failure: string; fail: (error: unknown) => void; clear: () => void } {
  const [held, set] = useState<{ words: string; unanswered: boolean }>({ words: "", unanswered: false });
  const fail = useCallback((error: unknown) => set({ words: errorMessage(error), unanswered: isUnanswered(error) }), []);
  const clear = useCallback(() => set({ words: "", unanswered: false }), []);
  useEffect(() => onReachability((reachable) => reachable && set((now) => (now.unanswered ? { words: "", unanswered: false } : now))), []);
  return { failure: held.words, fail, clear };
}
