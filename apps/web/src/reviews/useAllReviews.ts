import { useEffect, useState } from "react";
import { get, q } from "../api/http";
import type { Matter } from "../api/types";
import type { Review } from "./types";

/** The reviews of all matters, read when they are `wanted`. */
export function useAllReviews(matters: readonly Matter[] | null, wanted: boolean): readonly Review[] {
  const [reviews, set] = useState<readonly Review[]>([]);
  useEffect(() => {
    if (!wanted || !matters) return;
    const gone = new AbortController();
    // A list that does not arrive only leaves its reviews out of what can be gone to.
    void Promise.all(matters.map((matter) => get<Review[]>(`/api/matters/${q(matter.id)}/reviews`, gone.signal).catch(() => []))).then((found) => !gone.signal.aborted && set(found.flat()));
    return () => gone.abort();
  }, [matters, wanted]);
  return reviews;
}
