import { useEffect, useRef, useState } from "react";
import { get, inChat, q, errorMessage } from "../api/http";
import type { Citation, Rectangle } from "../api/types";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { marked } from "./marks";

interface Page {
  revision_id: string;
  number: number;
  text: string;
  start: number;
}

const DPI = 110;
const SHARP_DPI = 200;
const SHARP_FROM = 1.5;
const POINTS = 72;

/**
 * The page image of the cited version with the quotation highlighted by the server, and the page's text to select and copy.
 */
export function PageView({ documentId, page, citation, zoom, textOpen, onOffset }: {
  documentId: string; page: number; citation: Citation | undefined; zoom: number; textOpen: boolean; onOffset: (offset: number) => void;
}) {
  const [about, setAbout] = useState<Page | null>(null);
  const [rectangles, setRectangles] = useState<Rectangle[]>(citation?.rectangles ?? []);
  const [drawn, setDrawn] = useState<{ address: string; width: number; height: number } | null>(null);
  const [failure, setFailure] = useState("");
  const dpi = zoom >= SHARP_FROM ? SHARP_DPI : DPI;
  const address = inChat(`/api/documents/${q(documentId)}/pages/${page}/image?dpi=${dpi}${citation ? `&citation=${q(citation.citation_id)}` : ""}`);
  const held = about?.number === page ? about : null;
  const ready = drawn?.address === address;
  const marks = rectangles.filter((rectangle) => rectangle.page === page);
  const first = useRef<HTMLSpanElement>(null);
  const frame = useRef<HTMLDivElement>(null);

  useEffect(() => void frame.current?.scrollTo(0, 0), [page]);
  useEffect(() => {
    const gone = new AbortController();
    setFailure("");
    get<Page>(`/api/documents/${q(documentId)}/pages/${page}`, gone.signal).then((found) => {
      setAbout(found);
      onOffset(citation?.page_first === page ? citation.start : found.start);
    }, (error) => !gone.signal.aborted && setFailure(errorMessage(error)));
    return () => gone.abort();
  }, [documentId, page, citation, onOffset]);

  // A citation from another source may lack rectangles; they are fetched from the server.
  useEffect(() => {
    if (!citation || citation.rectangles?.length) return;
    const gone = new AbortController();
    get<Rectangle[]>(`/api/documents/${q(documentId)}/pages/${page}/rectangles?citation=${q(citation.citation_id)}`, gone.signal).then(setRectangles, () => undefined);
    return () => gone.abort();
  }, [documentId, page, citation]);

  useEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (ready) first.current?.scrollIntoView({ block: "center", inline: zoom > 1 ? "start" : "nearest", behavior: calm ? "auto" : "smooth" });
  }, [ready, page, zoom]);

  if (failure) return <div className="p-4"><Notice kind="error">{failure}</Notice></div>;
  return (
    <div className={`grid h-full min-h-0 ${textOpen ? "grid-rows-[minmax(0,1fr)_minmax(0,40%)]" : "grid-rows-[minmax(0,1fr)]"}`}>
      <div ref={frame} className="scroll min-h-0 overflow-auto bg-sunk p-4" tabIndex={0} role="group" aria-label={`Page ${page}, as it looks`}>
        <div className="relative mx-auto bg-white shadow-md" style={{ width: `${zoom * 100}%`, maxWidth: `${zoom * 54}rem`, aspectRatio: drawn ? `${drawn.width} / ${drawn.height}` : "1 / 1.414" }}>
          <img
            key={address}
            src={address}
            alt={`Page ${page}${citation && marks.length ? `, the quoted words marked: ${citation.text.slice(0, 200)}` : ""}`}
            onLoad={(event) => setDrawn({ address, width: event.currentTarget.naturalWidth, height: event.currentTarget.naturalHeight })}
            onError={() => setFailure("The picture of this page could not be had. Switch to its text, or try again in a moment.")}
            className="absolute inset-0 size-full"
            draggable={false}
          />
          {ready && marks.map(({ box: [x0, y0, x1, y1] }, n) => {
            const across = (points: number) => `${(points / POINTS * dpi / drawn.width) * 100}%`;
            const down = (points: number) => `${(points / POINTS * dpi / drawn.height) * 100}%`;
            return (
              <span
                key={n}
                ref={n === 0 ? first : undefined}
                data-testid="mark"
                data-box={[x0, y0, x1, y1].join(",")}
                className="absolute scroll-m-6 rounded-[2px] ring-2 ring-[#b48a00]/70"
                style={{ left: across(x0), top: down(y0), width: across(x1 - x0), height: down(y1 - y0) }}
              />
            );
          })}
          {!ready && <span className="absolute inset-0 grid place-items-center text-[#625d53]"><Spinner size={22} /></span>}
        </div>
      </div>
      {textOpen && (
        <div className="scroll min-h-0 border-t border-rule bg-sheet px-4 py-3" tabIndex={0} role="group" aria-label={`Text of page ${page}`}>
          {held ? <PageText page={held} citation={citation} /> : <Spinner />}
        </div>
      )}
    </div>
  );
}

function PageText({ page, citation }: { page: Page; citation: Citation | undefined }) {
  if (!page.text.trim()) return <p className="text-sm text-soft">This page has no text.</p>;
  const earlier = citation !== undefined && citation.revision_id !== page.revision_id;
  const [before, words, after] = citation && !earlier ? marked(page.text, page.start, citation.start, citation.end) : [page.text, "", ""];
  return (
    <>
      {earlier && <p className="mb-2 text-sm text-warn">The text is that of the newest version; the words were quoted from an earlier one, which the picture shows.</p>}
      <p className="font-serif text-[0.9375rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{before}{words && <mark>{words}</mark>}{after}</p>
    </>
  );
}
