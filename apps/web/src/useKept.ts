import { useCallback, useState } from "react";

/** A preference of this browser. Nothing secret belongs here. */
export function useKept<T extends string | boolean | null>(name: string, start: T): [T, (value: T) => void] {
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
      // A browser that keeps nothing works too.
    }
  }, [key]);
  return [value, keep];
}
