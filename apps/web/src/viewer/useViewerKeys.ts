import { type RefObject, useEffect, useRef } from "react";

/** Keys that work wherever the focus is in the viewer of a source. What is undefined is no key. */
export interface ViewerKeys {
  find: () => void;
  larger: () => void;
  smaller: () => void;
  outline: () => void;
  previous?: () => void;
  next?: () => void;
  text?: () => void;
}

export function useViewerKeys(box: RefObject<HTMLElement | null>, keys: ViewerKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const viewer = box.current?.closest<HTMLElement>("[data-testid=viewer]");
    const on = (event: KeyboardEvent) => {
      const { find, larger, smaller, outline, previous, next, text } = latest.current;
      const command = event.ctrlKey || event.metaKey;
      if (!command && (event.target instanceof HTMLInputElement || event.altKey)) return;
      const done = command ? (event.key.toLowerCase() === "f" ? find : undefined)
        : { "/": find, "+": larger, "=": larger, "-": smaller, o: outline, ArrowLeft: previous, ArrowRight: next, t: text }[event.key];
      if (!done) return;
      event.preventDefault();
      done();
    };
    viewer?.addEventListener("keydown", on);
    return () => viewer?.removeEventListener("keydown", on);
  }, [box]);
}
