import { useEffect, useLayoutEffect, useRef } from "react";

const NEAR = 120;

/** Scrolls to the end as text arrives, unless the user has scrolled up; a new question resumes scrolling. */
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
