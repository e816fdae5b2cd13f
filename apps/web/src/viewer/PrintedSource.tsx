import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { get, inChat, q } from "../api/http";
import type { Citation, Document } from "../api/types";
import { shortName } from "../names";
import { PrintHead } from "../print/PrintHead";
import { marked, placeOf } from "./marks";
import { type Page, pageOf } from "./pages";
import { TextSheet } from "./TextSheet";

const DPI = 150;
/** Of a page of A4 or Letter, less the margins. */
const HEIGHT_MM = 238;
/** Of the printout's head, which stands above the first page. */
const HEAD_MM = 28;

/** A whole document for paper, with the words of a citation marked. Nothing on the screen. Calls `onReady` once, when all of it is drawn. */
export function PrintedSource({ document: held, citation, onProgress, onReady }: {
  document: Document; citation: Citation | undefined; onProgress: (part: number) => void; onReady: () => void;
}) {
  const total = held.paged ? (held.page_count ?? 1) : 1;
  const done = useRef(new Set<number>());
  const ready = useRef({ onProgress, onReady });
  ready.current = { onProgress, onReady };
  const drawn = useCallback((number: number) => {
    if (done.current.has(number)) return;
    done.current.add(number);
    ready.current.onProgress(done.current.size / total);
    if (done.current.size === total) ready.current.onReady();
  }, [total]);
  return createPortal(
    <div className="hidden print:block" data-source data-testid="printed-source">
      <PrintHead title={shortName(held.filename)} about={[held.filename, citation ? `the words of ${placeOf(citation) || "the citation"} marked` : ""].filter(Boolean).join(" · ")} />
      {held.paged
        ? Array.from({ length: total }, (_, n) => <PrintedPage key={n} documentId={held.id} number={n + 1} citation={citation} onDrawn={drawn} />)
        : <PrintedText documentId={held.id} length={held.char_count ?? 0} citation={citation} onDrawn={() => drawn(1)} />}
    </div>,
    document.body,
  );
}

function PrintedPage({ documentId, number, citation: shown, onDrawn }: { documentId: string; number: number; citation: Citation | undefined; onDrawn: (number: number) => void }) {
  const citation = shown && shown.page_first <= number && number <= shown.page_last ? shown : undefined;
  const [page, setPage] = useState<Page | null>(null);
  const [failed, setFailed] = useState(false);
  const fail = useCallback(() => {
    setFailed(true);
    onDrawn(number);
  }, [number, onDrawn]);
  useEffect(() => void pageOf(documentId, number, citation?.revision_id).then(setPage, fail), [documentId, number, citation?.revision_id, fail]);
  const text = page !== null && !page.width;
  useEffect(() => {
    if (text) onDrawn(number);
  }, [text, number, onDrawn]);
  if (failed) return <Sheet><p>{`Page ${number} could not be drawn.`}</p></Sheet>;
  if (!page) return null;
  if (!page.width || !page.height) return <Sheet><TextSheet page={page} words={citation && { kind: "mark", start: citation.start, end: citation.end }} /></Sheet>;
  const { width, height } = page;
  const part = (length: number, whole: number) => `${(100 * length) / whole}%`;
  return (
    <Sheet>
      <div className="relative mx-auto border border-rule" style={{ width: `min(100%, ${((HEIGHT_MM - (number === 1 ? HEAD_MM : 0)) * width) / height}mm)`, aspectRatio: `${width} / ${height}` }}>
        <img
          src={inChat(`/api/documents/${q(documentId)}/pages/${number}/image?dpi=${DPI}${citation ? `&citation=${q(citation.citation_id)}` : ""}`)}
          alt={`Page ${number}`} className="absolute inset-0 size-full" onLoad={() => onDrawn(number)} onError={fail}
        />
        {(citation?.rectangles ?? []).filter((rectangle) => rectangle.page === number).map(({ box: [x0, y0, x1, y1] }, n) => (
          <span key={n} className="absolute rounded-[2px] ring-2 ring-[#b48a00]" style={{ left: part(x0, width), top: part(y0, height), width: part(x1 - x0, width), height: part(y1 - y0, height) }} />
        ))}
      </div>
    </Sheet>
  );
}

const Sheet = ({ children }: { children: ReactNode }) => <div className="break-inside-avoid break-after-page last:break-after-auto">{children}</div>;

function PrintedText({ documentId, length, citation, onDrawn }: { documentId: string; length: number; citation: Citation | undefined; onDrawn: () => void }) {
  const [text, setText] = useState<{ text: string; revision_id: string } | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => void get<{ text: string; revision_id: string }>(`/api/documents/${q(documentId)}/text?start=0&end=${length}`).then(setText, () => setFailed(true)), [documentId, length]);
  const told = useRef(onDrawn);
  told.current = onDrawn;
  const settled = text !== null || failed;
  useEffect(() => {
    if (settled) told.current();
  }, [settled]);
  if (!text) return failed ? <p>The text could not be fetched.</p> : null;
  const [before, words, after] = citation && citation.revision_id === text.revision_id ? marked(text.text, 0, citation.start, citation.end) : [text.text, "", ""];
  return <p className="font-serif whitespace-pre-wrap [overflow-wrap:anywhere]">{before}{words && <mark>{words}</mark>}{after}</p>;
}
