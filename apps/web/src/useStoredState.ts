import { useCallback, useState } from "react";

/** State stored in localStorage. Do not store secrets. */
export function useStoredState<T extends string | boolean | null>(name: string, start: T): [T, (value: T) => void] {
  const key = `orderly.${name}`;
  const [value, set] = useState<T>(() => {
    try {
      const kept = localStorage.getItem(key);
      return kept === null ? start : (JSON.parse(kept) as T);
    } catch {
      return start;
    }
  });
  const keep = useCallback((next: T) => {
    set(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without localStorage the value lasts until the page is closed.
    }
  }, [key]);
  return [value, keep];
}
