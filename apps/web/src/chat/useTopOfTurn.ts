import { useLayoutEffect, useRef } from "react";

/** Scrolls to the top of a question when it is asked or its conversation is opened; an answer that grows moves nothing. */
export function useTopOfTurn(turn: string | undefined) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (turn) [...(box.current?.querySelectorAll("article") ?? [])].at(-1)?.scrollIntoView({ block: "start" });
  }, [turn]);
  return box;
}
