import { useEffect, useRef } from "react";

const LONG_MS = 8_000;
const TITLE = "Orderly";

/** Tells a user who looks elsewhere that long work has ended: in the tab's title, and by the system where that is permitted. */
export function useEndNotice(busy: boolean, words: string): void {
  const begun = useRef(0);
  useEffect(() => {
    if (busy) {
      begun.current = Date.now();
      return;
    }
    if (!begun.current || !document.hidden || Date.now() - begun.current < LONG_MS) return;
    begun.current = 0;
    document.title = `● ${words}`;
    if (typeof Notification !== "undefined" && Notification.permission === "granted") new Notification(TITLE, { body: words });
    const seen = () => {
      if (document.hidden) return;
      document.title = TITLE;
      document.removeEventListener("visibilitychange", seen);
    };
    document.addEventListener("visibilitychange", seen);
  }, [busy, words]);
}
