import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Citation } from "../api/types";
import { download } from "../documents/download";
import { sectionName } from "../format";
import { shortName } from "../names";
import { type Source, turnTo } from "../router";
import { IconButton } from "../ui/Button";
import { Icon, Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { type Apart, apartOn, useBeside } from "./apart";
import { CitationFooter } from "./CitationFooter";
import { FindBar } from "./FindBar";
import { ApartNote } from "./KeptApart";
import { pathTo, placeOf, type Section } from "./marks";
import { Outline } from "./Outline";
import { Pages, type PagesHandle } from "./Pages";
import type { Page } from "./pages";
import { PageText } from "./PageText";
import { type PrintHandle, PrintSource } from "./PrintSource";
import { TextView } from "./TextView";
import { Toolbar, ZOOMS } from "./Toolbar";
import { useViewerKeys } from "./useViewerKeys";
import { useShown } from "./useShown";

/** A document at a page, or at the words of a citation. */
export function SourceViewer({ source, known, onClose }: { source: Source; known: Citation | undefined; onClose: () => void }) {
  const { document, citation, sections, failure } = useShown(source, known);
  const { attachments, apart } = useBeside(source.document);
  const box = useRef<HTMLDivElement>(null);
  const printing = useRef<PrintHandle>(null);

  // Moves the keyboard focus here and restores it on close.
  useEffect(() => {
    const before = window.document.activeElement;
    box.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);

  const [offset, setOffset] = useState<number | null>(null);
  const path = useMemo(() => pathTo(sections, offset ?? citation?.start ?? 0), [sections, offset, citation]);
  const paged = citation?.paged ?? document?.paged ?? null;
  const waits = source.citation !== null && !citation;
  const name = document?.filename ?? citation?.document_name ?? "";
  return (
    <div
      ref={box} tabIndex={-1} role="region" aria-label={`Source: ${name}`} data-testid="viewer" className="flex h-full min-h-0 flex-col bg-paper focus:outline-none"
      onKeyDown={(event) => {
        const doing = event.key === "Escape" ? onClose : (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "p" ? printing.current?.print : undefined;
        if (!doing) return;
        event.preventDefault();
        doing();
      }}
    >
      <div className="flex items-start gap-1 border-b border-rule py-2.5 pr-2 pl-4">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base leading-snug" title={name}>{shortName(name)}</h2>
          <nav aria-label="Section" className="flex min-h-5 flex-wrap items-center gap-x-1 text-xs text-soft">
            {path.map((section, n) => (
              <span key={section.id} className="flex max-w-full min-w-0 items-center gap-1">
                {n > 0 && <Icon name="right" size={11} />}
                <span className="truncate">{sectionName(section.label, section.title)}</span>
              </span>
            ))}
            {path.length === 0 && citation && <span>{placeOf(citation)}</span>}
          </nav>
        </div>
        {document && <PrintSource ref={printing} document={document} citation={citation} />}
        {document && <IconButton icon="download" label="Download the original" onClick={() => void download(document)} />}
        <IconButton icon="close" label="Close the source (Esc)" onClick={onClose} />
      </div>
      {!failure && <ApartNote entries={apart} />}
      {failure && <div className="p-4"><Notice kind="error">{failure}</Notice></div>}
      {!failure && (paged === null || waits || (paged && !document)) && <p className="flex items-center gap-2 p-4 text-sm text-soft"><Spinner /> Opening …</p>}
      {paged === true && document && !waits && <Paged key={`${source.document} ${source.citation}`} documentId={source.document} count={document.page_count ?? 1} first={source.page ?? citation?.page_first ?? 1} citation={citation} sections={sections} words={source.words ?? ""} apart={apart} onOffset={setOffset} />}
      {paged === false && !waits && <div className="min-h-0 flex-1"><TextView documentId={source.document} length={document?.char_count ?? null} citation={citation} sections={sections} words={source.words ?? ""} attachments={attachments} apart={apart} /></div>}
      {citation && <CitationFooter citation={citation} />}
    </div>
  );
}

function Paged({ documentId, count, first, citation, sections, words, apart, onOffset }: { documentId: string; count: number; first: number; citation: Citation | undefined; sections: readonly Section[]; words: string; apart: readonly Apart[]; onOffset: (offset: number) => void }) {
  const [page, setPage] = useState(first);
  const [zoom, setZoom] = useState(1);
  const [textOpen, setTextOpen] = useState(false);
  const [finding, setFinding] = useState(words !== "");
  const [outlined, setOutlined] = useState(false);
  const [found, setFound] = useState<Parameters<typeof Pages>[0]["found"]>(undefined);
  const [read, setRead] = useState<ReadonlyMap<number, Page>>(new Map());
  const pages = useRef<PagesHandle>(null);
  const onPage = useCallback((given: Page) => setRead((now) => new Map(now).set(given.number, given)), []);
  const visible = useCallback((number: number) => {
    setPage(number);
    turnTo(number);
  }, []);
  const here = read.get(page);
  const closeFind = () => {
    setFinding(false);
    setFound(undefined);
    // The keys go on working.
    box.current?.closest<HTMLElement>("[data-testid=viewer]")?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (here) onOffset(citation?.page_first === page ? citation.start : here.start);
  }, [here, page, citation, onOffset]);

  const turn = (to: number) => pages.current?.turnTo(Math.max(1, Math.min(count, to)));
  const magnify = (by: number) => setZoom((now) => ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(now) + by))] ?? 1);
  const box = useRef<HTMLDivElement>(null);
  useViewerKeys(box, {
    find: () => setFinding(true), larger: () => magnify(1), smaller: () => magnify(-1), outline: () => setOutlined((now) => !now),
    previous: () => turn(page - 1), next: () => turn(page + 1), text: () => setTextOpen((now) => !now),
  });

  return (
    <div ref={box} className="flex min-h-0 flex-1 flex-col">
      <Toolbar page={page} count={count} zoom={zoom} textOpen={textOpen} finding={finding} outlined={outlined} hasOutline={sections.length > 0} onOutline={() => setOutlined(!outlined)} onTurn={turn} onZoom={magnify} onText={() => setTextOpen(!textOpen)} onFind={() => (finding ? closeFind() : setFinding(true))}
        onWords={citation && page !== citation.page_first ? () => turn(citation.page_first) : undefined} />
      {finding && <FindBar documentId={documentId} page={page} words={words} onFound={setFound} onClose={closeFind} />}
      {outlined && <Outline sections={sections} onGo={(section) => turn(section.page_first ?? 1)} />}
      <div className={`grid min-h-0 flex-1 ${textOpen ? "grid-rows-[minmax(0,1fr)_minmax(0,40%)]" : "grid-rows-[minmax(0,1fr)]"}`}>
        <Pages ref={pages} documentId={documentId} count={count} first={first} citation={citation} found={found} zoom={zoom} apart={apart} onVisible={visible} onPage={onPage} />
        {textOpen && (
          <div className="scroll min-h-0 border-t border-rule bg-sheet px-4 py-3" tabIndex={0} role="group" aria-label={`Text of page ${page}`}>
            <PageText page={here} citation={citation} apart={here ? apartOn(apart, page, here.text) : []} />
          </div>
        )}
      </div>
    </div>
  );
}
