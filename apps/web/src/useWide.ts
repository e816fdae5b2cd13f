import { useRef, useSyncExternalStore } from "react";

/** Whether the window has at least this width, in pixels. Paper has another width, for which nothing is opened or closed. */
export function useWide(pixels: number): boolean {
  const query = `(min-width: ${pixels}px)`;
  const seen = useRef<boolean | null>(null);
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => {
      if (seen.current === null || !matchMedia("print").matches) seen.current = matchMedia(query).matches;
      return seen.current;
    },
  );
}
