import { useCallback, useState } from "react";

/** A preference in this browser's local storage. Do not store secrets. */
export function useStoredState<T extends string | number | boolean | null>(name: string, start: T): [T, (value: T) => void] {
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
      // Storage is optional.
    }
  }, [key]);
  return [value, keep];
}
