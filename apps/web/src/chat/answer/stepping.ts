import { type RefObject, useEffect } from "react";

const told = (within: HTMLElement): HTMLElement[] => [...within.querySelectorAll<HTMLElement>("[data-check] > [role=button]")];

function show(words: HTMLElement | undefined): void {
  words?.scrollIntoView({ block: "center" });
  words?.focus({ preventScroll: true });
  words?.click();
}

export const showFirst = (within: HTMLElement): void => show(told(within)[0]);

/** F8 and Shift+F8 go from statement to statement to check, first to what is in sight or below; at a statement, N and P do, too. */
export function useStepping(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const on = (event: KeyboardEvent) => {
      const all = told(box.current!);
      const at = all.findIndex((words) => words.parentElement!.contains(document.activeElement));
      const by = event.key === "F8" ? (event.shiftKey ? -1 : 1) : at < 0 ? undefined : { n: 1, p: -1 }[event.key];
      if (!by || !all.length || event.ctrlKey || event.metaKey || event.altKey || document.activeElement?.closest("dialog")) return;
      event.preventDefault();
      const top = box.current!.getBoundingClientRect().top;
      show(at < 0 ? (all.find((words) => words.getBoundingClientRect().top >= top) ?? all.at(-1)) : all[(at + by + all.length) % all.length]);
    };
    addEventListener("keydown", on);
    return () => removeEventListener("keydown", on);
  }, [box]);
}
