import { useEffect, useLayoutEffect, useRef } from "react";

const NEAR = 120;

/** Scrolls with new text while the reader is at the end, not after the reader has scrolled up. A new question scrolls to the end. */
export function useStickToEnd(written: unknown, turns: number) {
  const box = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const near = useRef(true);
  useEffect(() => {
    const scrolled = box.current;
    if (!scrolled) return;
    const update = () => {
      near.current = scrolled.scrollHeight - scrolled.scrollTop - scrolled.clientHeight < NEAR;
    };
    scrolled.addEventListener("scroll", update, { passive: true });
    return () => scrolled.removeEventListener("scroll", update);
  }, []);
  useLayoutEffect(() => {
    near.current = true;
  }, [turns]);
  useLayoutEffect(() => {
    if (near.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [written, turns]);
  return { box, end };
}
