import { useEffect, useState } from "react";
import { errorMessage, inChat, q } from "../api/http";
import type { Citation } from "../api/types";
import { Spinner } from "../ui/Icon";
import { type Apart, apartOn } from "./apart";
import { boxesOf, type Page, pageOf, readingOf } from "./pages";
import { TextLayer } from "./TextLayer";
import { TextSheet } from "./TextSheet";

const DPI = 110;
const SHARP_DPI = 200;
const SHARP_FROM = 1.5;
const A4 = { width: 595, height: 842 };

export interface Span {
  start: number;
  end: number;
}

/** One page: its picture, the text over it, and the marked words. */
export function PageSheet({ documentId, number, citation: shown, found, zoom, apart, onPage }: {
  documentId: string; number: number; citation: Citation | undefined; found: Span | undefined; zoom: number; apart: readonly Apart[]; onPage: (page: Page) => void;
}) {
  // Other pages than the cited ones are those of the current version.
  const citation = shown && shown.page_first <= number && number <= shown.page_last ? shown : undefined;
  const [page, setPage] = useState<Page | null>(null);
  const [drawn, setDrawn] = useState("");
  const [failure, setFailure] = useState("");
  const address = inChat(`/api/documents/${q(documentId)}/pages/${number}/image?dpi=${zoom >= SHARP_FROM ? SHARP_DPI : DPI}${citation ? `&citation=${q(citation.citation_id)}` : ""}`);

  useEffect(() => {
    let over = false;
    pageOf(documentId, number, citation?.revision_id).then((read) => {
      if (over) return;
      setPage(read);
      onPage(read);
    }, (error) => !over && setFailure(errorMessage(error)));
    return () => { over = true; };
  }, [documentId, number, citation?.revision_id, onPage]);

  if (page && !page.width) {
    const words = found ? { kind: "hit" as const, start: page.start + found.start, end: page.start + found.end } : citation && { kind: "mark" as const, start: citation.start, end: citation.end };
    return <TextSheet page={page} words={words} apart={apartOn(apart, number, page.text)} />;
  }
  const { width, height } = page?.width && page.height ? { width: page.width, height: page.height } : A4;
  const marks = (citation?.rectangles ?? []).filter((rectangle) => rectangle.page === number).map((rectangle) => rectangle.box);
  const hits = page && found ? boxesOf(page, page.start + found.start, page.start + found.end) : [];
  const place = ([x0, y0, x1, y1]: readonly number[]) => ({ left: `${(x0! / width) * 100}%`, top: `${(y0! / height) * 100}%`, width: `${((x1! - x0!) / width) * 100}%`, height: `${((y1! - y0!) / height) * 100}%` });
  const reading = page ? readingOf(page) : "";
  return (
    <div className="relative bg-white shadow-md" style={{ aspectRatio: `${width} / ${height}` }} data-page={number}>
      <img
        src={address}
        alt={`Page ${number}${citation && marks.length ? `, the quoted words marked: ${citation.text.slice(0, 200)}` : ""}`}
        onLoad={() => setDrawn(address)}
        onError={() => setFailure("The picture of this page could not be had. Switch to its text, or try again in a moment.")}
        className="absolute inset-0 size-full"
        draggable={false}
      />
      {page && <TextLayer page={page} width={width} height={height} />}
      {drawn === address && marks.map((box, n) => (
        <span key={n} data-testid="mark" data-box={box.join(",")} className="pointer-events-none absolute rounded-[2px] ring-2 ring-[#b48a00]/70 forced-color-adjust-none" style={place(box)} />
      ))}
      {hits.map((box, n) => <span key={n} data-testid="hit" className="pointer-events-none absolute rounded-[2px] bg-[#f7a600]/35 ring-2 ring-[#c25e00] forced-color-adjust-none" style={place(box)} />)}
      {!drawn && !failure && <span className="absolute inset-0 grid place-items-center text-[#625d53]"><Spinner size={22} /></span>}
      {failure && <p className="absolute inset-x-4 top-4 rounded border border-[#a32a20]/40 bg-[#fbe9e6] px-3 py-2 text-sm text-[#a32a20]" role="alert">{failure}</p>}
      {reading && <p className="absolute top-2 right-2 rounded-full bg-[#fbf0d9] px-2.5 py-0.5 text-xs font-medium text-[#6b4000] ring-1 ring-[#8a5200]/40" data-testid="reading">{reading}</p>}
    </div>
  );
}
