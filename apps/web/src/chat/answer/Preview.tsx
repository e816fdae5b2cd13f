import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { get, inChat, q } from "../../api/http";
import type { Citation, Document } from "../../api/types";
import { shortName } from "../../names";
import { marked, placeOf } from "../../viewer/marks";

const AFTER_MS = 250;
const WIDTH = 440;
const HEIGHT = 190;
const GAP = 8;
const AROUND = 240;
const DPI = 110;
const POINTS = 72;

interface Handlers {
  onPointerEnter: (event: PointerEvent) => void;
  onPointerLeave: () => void;
  onPointerDown: () => void;
  onFocus: (event: FocusEvent) => void;
  onBlur: () => void;
  ref: (element: HTMLElement | null) => void;
  "aria-describedby"?: string;
}

/** Shows the marked lines of a source while it is hovered, or focused by keyboard. A finger opens the source itself. */
export function WithPreview({ citation, children }: { citation: Citation; children: (preview: Handlers) => ReactNode }) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  const show = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(true), AFTER_MS);
  };
  const hide = () => {
    clearTimeout(timer.current);
    setOpen(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!open) return;
    const gone = new AbortController();
    addEventListener("keydown", ({ key }) => key === "Escape" && setOpen(false), { signal: gone.signal });
    addEventListener("scroll", hide, { capture: true, signal: gone.signal });
    return () => gone.abort();
  }, [open]);
  return (
    <>
      {children({ onPointerEnter: (event) => event.pointerType === "mouse" && show(), onPointerLeave: hide, onPointerDown: hide, onFocus: (event) => event.currentTarget.matches(":focus-visible") && show(), onBlur: hide, ref: (element) => { anchor.current = element; }, ...(open ? { "aria-describedby": id } : {}) })}
      {open && anchor.current && createPortal(<Preview id={id} citation={citation} anchor={anchor.current} />, document.getElementById("main") ?? document.body)}
    </>
  );
}

/** Puts a card above what it is about, or below. */
export function putBeside(card: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const above = at.top - card.offsetHeight - GAP;
  card.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - card.offsetWidth - GAP))}px`;
  card.style.top = `${above > GAP ? above : Math.min(at.bottom + GAP, innerHeight - card.offsetHeight - GAP)}px`;
}

function Preview({ id, citation, anchor }: { id: string; citation: Citation; anchor: HTMLElement }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => putBeside(box.current!, anchor), [anchor]);
  return (
    <div ref={box} id={id} role="tooltip" data-testid="preview" style={{ width: `min(${WIDTH}px, calc(100vw - 1rem))` }} className="pointer-events-none fixed z-40 overflow-hidden rounded-lg border border-edge/60 bg-sheet shadow-xl">
      <p className="truncate border-b border-rule px-3 py-1.5 text-xs text-soft">{[shortName(citation.document_name), placeOf(citation)].filter(Boolean).join(" · ")}</p>
      {citation.paged ? <Lines citation={citation} /> : <Words citation={citation} />}
    </div>
  );
}

/** The cited lines, cut out of the picture of their page. */
function Lines({ citation }: { citation: Citation }) {
  const [natural, setNatural] = useState<{ width: number; height: number } | null>(null);
  const [failed, setFailed] = useState(false);
  const boxes = citation.rectangles.filter((rectangle) => rectangle.page === citation.page_first).map((rectangle) => rectangle.box);
  const middle = boxes.length ? (Math.min(...boxes.map((b) => b[1])) + Math.max(...boxes.map((b) => b[3]))) / 2 : 0;
  if (failed) return <Words citation={citation} />;
  const scale = natural ? WIDTH / natural.width : 1;
  const top = natural ? Math.max(0, Math.min(natural.height * scale - HEIGHT, (middle / POINTS) * DPI * scale - HEIGHT / 2)) : 0;
  return (
    <div className={`relative overflow-hidden ${natural ? "bg-white" : ""}`} style={{ height: HEIGHT }}>
      {!natural && <p className="line-clamp-[8] px-3 py-2 font-serif text-sm leading-snug"><mark>{citation.text}</mark></p>}
      <img
        src={inChat(`/api/documents/${q(citation.document_id)}/pages/${citation.page_first}/image?dpi=${DPI}&citation=${q(citation.citation_id)}`)}
        alt=""
        onLoad={(event) => setNatural({ width: event.currentTarget.naturalWidth, height: event.currentTarget.naturalHeight })}
        onError={() => setFailed(true)}
        className={`absolute left-0 max-w-none ${natural ? "" : "invisible"}`}
        style={{ width: WIDTH, top: -top }}
      />
      {natural && <span className="sr-only">{citation.text}</span>}
    </div>
  );
}

/** The cited words with the text around them. */
function Words({ citation }: { citation: Citation }) {
  const [around, setAround] = useState<[string, string, string]>(["", citation.text, ""]);
  useEffect(() => {
    const gone = new AbortController();
    const start = Math.max(0, citation.start - AROUND);
    // The server refuses a span beyond the end of the text.
    get<Document>(`/api/documents/${q(citation.document_id)}`, gone.signal)
      .then(({ char_count }) => get<{ text: string; start: number; revision_id: string }>(`/api/documents/${q(citation.document_id)}/text?start=${start}&end=${Math.min(citation.end + AROUND, char_count ?? citation.end)}`, gone.signal))
      .then((found) => found.revision_id === citation.revision_id && setAround(marked(found.text, found.start, citation.start, citation.end)), () => undefined);
    return () => gone.abort();
  }, [citation]);
  const [before, words, after] = around;
  return (
    <p className="line-clamp-[8] px-3 py-2 font-serif text-sm leading-snug [overflow-wrap:anywhere]">{before}<mark>{words}</mark>{after}</p>
  );
}
