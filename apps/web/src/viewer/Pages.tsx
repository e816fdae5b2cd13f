import { useVirtualizer } from "@tanstack/react-virtual";
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Citation } from "../api/types";
import type { Apart } from "./apart";
import { PageSheet, type Span } from "./PageSheet";
import type { Page } from "./pages";

const GAP = 14;
const PAD = 16;
const A4_RATIO = 842 / 595;
const REM = 16;
const WIDEST = 54 * REM;

export interface PagesHandle {
  turnTo: (page: number) => void;
}

/** All pages beneath each other; only those near the visible ones are drawn. */
export function Pages({ ref, documentId, count, first, citation, found, zoom, apart, onVisible, onPage }: {
  ref?: Ref<PagesHandle>; documentId: string; count: number; first: number; citation: Citation | undefined;
  /** The span to mark, on a page. */
  found: { page: number; span: Span } | undefined;
  zoom: number; apart: readonly Apart[]; onVisible: (page: number) => void; onPage: (page: Page) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const begun = useRef(false);
  const [across, setAcross] = useState(0);
  const width = Math.min(across - 2 * PAD, WIDEST) * zoom;
  const virtual = useVirtualizer({
    count, overscan: 1, gap: GAP, paddingStart: PAD, paddingEnd: PAD,
    getScrollElement: () => frame.current,
    estimateSize: () => Math.max(100, width * A4_RATIO),
    onChange: (instance) => {
      if (!begun.current) return;
      // Marked words are scrolled to the middle, so the page in the middle is theirs.
      const middle = (instance.scrollOffset ?? 0) + (instance.scrollRect?.height ?? 0) / 2;
      const seen = instance.getVirtualItems().findLast((item) => item.start <= middle);
      if (seen) onVisible(seen.index + 1);
    },
  });

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setAcross(entry!.contentRect.width));
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => void virtual.measure(), [width, virtual]);

  useImperativeHandle(ref, () => ({ turnTo: (page) => virtual.scrollToIndex(page - 1, { align: "start" }) }), [virtual]);
  const ready = width > 0;
  useEffect(() => {
    if (!ready || begun.current) return;
    begun.current = true;
    virtual.scrollToIndex(first - 1, { align: "start" });
  }, [ready, first, virtual]);

  // The first marked line comes into sight as soon as its page is drawn.
  const seen = useRef("");
  const look = useCallback((what: string, selector: string) => {
    if (seen.current === what) return;
    const mark = frame.current?.querySelector(selector);
    if (!mark) return;
    seen.current = what;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    mark.scrollIntoView({ block: "center", inline: "nearest", behavior: calm ? "auto" : "smooth" });
  }, []);
  useEffect(() => {
    const box = frame.current!;
    const observer = new MutationObserver(() => (found ? look(`${found.page} ${found.span.start}`, "[data-testid=hit]") : citation && look(citation.citation_id, "[data-testid=mark]")));
    observer.observe(box, { childList: true, subtree: true });
    if (found) {
      virtual.scrollToIndex(found.page - 1, { align: "start" });
      look(`${found.page} ${found.span.start}`, "[data-testid=hit]");
    }
    return () => observer.disconnect();
  }, [citation, found, look, virtual]);

  return (
    <div ref={frame} className="scroll h-full min-h-0 overflow-auto bg-sunk" tabIndex={0} role="group" aria-label="Pages, as they look">
      {ready && (
        <div className="relative mx-auto" style={{ height: virtual.getTotalSize(), width }}>
          {virtual.getVirtualItems().map((item) => (
            <div key={item.key} ref={virtual.measureElement} data-index={item.index} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${item.start}px)` }}>
              <PageSheet documentId={documentId} number={item.index + 1} citation={citation} found={found?.page === item.index + 1 ? found.span : undefined} zoom={zoom} apart={apart} onPage={onPage} />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
