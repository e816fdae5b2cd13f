import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { get, q, errorMessage } from "../api/http";
import type { Citation, Document } from "../api/types";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { CopyMenu } from "./CopyMenu";
import { type Section, pathTo, placeOf } from "./marks";
import { PageView } from "./PageView";
import { TextView } from "./TextView";
import { sectionName } from "../format";

/** Content of the viewer: the location of a citation, or a document from its start. */
export interface Shown {
  documentId: string;
  citation?: Citation;
  document?: Document;
}

const ZOOMS = [0.75, 1, 1.25, 1.5, 2, 3];

export function SourceViewer({ shown, onClose, onShow }: { shown: Shown; onClose: () => void; onShow: (shown: Shown) => void }) {
  const { citation, documentId } = shown;
  const key = `${documentId} ${citation?.citation_id ?? ""}`;
  return <Viewer key={key} shown={shown} onClose={onClose} onShow={onShow} />;
}

function Viewer({ shown, onClose }: { shown: Shown; onClose: () => void; onShow: (shown: Shown) => void }) {
  const { citation, documentId } = shown;
  const [document, setDocument] = useState<Document | null>(shown.document ?? null);
  const [sections, setSections] = useState<Section[]>([]);
  const [page, setPage] = useState(citation?.page_first ?? 1);
  const [offset, setOffset] = useState(citation?.start ?? 0);
  const [zoom, setZoom] = useState(1);
  const [textOpen, setTextOpen] = useState(false);
  const [failure, setFailure] = useState("");
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const gone = new AbortController();
    const fail = (error: unknown) => !gone.signal.aborted && setFailure(errorMessage(error));
    get<Document>(`/api/documents/${q(documentId)}`, gone.signal).then(setDocument, fail);
    get<Section[] | { sections: Section[] }>(`/api/documents/${q(documentId)}/sections`, gone.signal)
      .then((answer) => setSections(Array.isArray(answer) ? answer : answer.sections), () => undefined);
    return () => gone.abort();
  }, [documentId]);

  // Moves the keyboard focus here and restores it on close.
  useEffect(() => {
    const before = window.document.activeElement;
    box.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);

  const paged = citation?.paged ?? document?.paged ?? null;
  const last = document?.page_count ?? null;
  const path = useMemo(() => pathTo(sections, offset), [sections, offset]);
  const turn = (by: number) => setPage((now) => Math.max(1, Math.min(last ?? now + by, now + by)));
  const magnify = (by: number) => setZoom((now) => ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(now) + by))] ?? 1);

  function onKeyDown(event: KeyboardEvent) {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const done = {
      Escape: () => onClose(),
      ArrowLeft: () => turn(-1), PageUp: () => turn(-1),
      ArrowRight: () => turn(1), PageDown: () => turn(1),
      "+": () => magnify(1), "=": () => magnify(1), "-": () => magnify(-1),
      t: () => setTextOpen((now) => !now),
    }[event.key];
    if (!done || (!paged && event.key !== "Escape")) return;
    event.preventDefault();
    done();
  }

  const name = document?.filename ?? citation?.document_name ?? "";
  return (
    <div ref={box} tabIndex={-1} onKeyDown={onKeyDown} role="region" aria-label={`Source: ${name}`} data-testid="viewer" className="flex h-full min-h-0 flex-col bg-paper focus:outline-none">
      <header className="flex items-start gap-1 border-b border-rule py-2.5 pr-2 pl-4">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base leading-snug" title={name}>{name}</h2>
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
        <IconButton icon="close" label="Close the source (Esc)" onClick={onClose} />
      </header>
      {paged && (
        <div role="toolbar" aria-label="Page" className="flex items-center gap-0.5 border-b border-rule px-2 py-1 text-sm">
          <IconButton icon="left" label="Previous page (←)" disabled={page <= 1} onClick={() => turn(-1)} />
          <PageField page={page} last={last} onPage={setPage} />
          <IconButton icon="right" label="Next page (→)" disabled={last !== null && page >= last} onClick={() => turn(1)} />
          {citation && page !== citation.page_first && (
            <button type="button" className="rounded-md px-2 py-1 text-accent hover:bg-wash" onClick={() => setPage(citation.page_first)}>To the words</button>
          )}
          <span className="flex-1" />
          <IconButton icon="zoomOut" label="Smaller (−)" disabled={zoom === ZOOMS[0]} onClick={() => magnify(-1)} />
          <span className="w-12 text-center text-xs whitespace-nowrap text-soft tabular-nums">{`${Math.round(zoom * 100)} %`}</span>
          <IconButton icon="zoomIn" label="Larger (+)" disabled={zoom === ZOOMS.at(-1)} onClick={() => magnify(1)} />
          <button type="button" aria-pressed={textOpen} onClick={() => setTextOpen(!textOpen)} className={`ml-1 flex items-center gap-1.5 rounded-md px-2 py-1 hover:bg-wash ${textOpen ? "bg-wash text-accent" : "text-soft"}`}>
            <Icon name="text" size={15} /> Text
          </button>
        </div>
      )}
      {failure && <div className="p-4"><Notice kind="error">{failure}</Notice></div>}
      <div className="min-h-0 flex-1">
        {paged === true && <PageView documentId={documentId} page={page} citation={citation} zoom={zoom} textOpen={textOpen} onOffset={setOffset} />}
        {paged === false && <TextView documentId={documentId} length={document?.char_count ?? null} citation={citation} sections={sections} />}
      </div>
      {citation && (
        <footer className="@container border-t border-rule bg-sheet px-4 py-3">
          <div className="flex flex-col gap-2 @md:flex-row @md:items-start @md:gap-3">
            <blockquote tabIndex={0} className="scroll max-h-24 min-w-0 flex-1 font-serif text-[0.9375rem] leading-snug">“{citation.text.trim()}”</blockquote>
            <CopyMenu citation={citation} />
          </div>
          <p className="mt-1.5 text-xs text-soft">
            {placeOf(citation)}{placeOf(citation) && ". "}Checked against the stored text, letter for letter.
          </p>
        </footer>
      )}
    </div>
  );
}

function PageField({ page, last, onPage }: { page: number; last: number | null; onPage: (page: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const keep = () => {
    const wanted = Number(typed);
    if (typed && Number.isInteger(wanted) && wanted >= 1 && (last === null || wanted <= last)) onPage(wanted);
    setTyped(null);
  };
  return (
    <form className="flex items-center gap-1.5 px-1 text-soft" onSubmit={(event) => (event.preventDefault(), keep())}>
      <label className="flex items-center gap-1.5">Page
        <input inputMode="numeric" value={typed ?? page} onChange={(event) => setTyped(event.target.value)} onBlur={keep} aria-label="Page number"
          className="w-11 rounded border border-edge/60 bg-sheet px-1 py-0.5 text-center text-ink tabular-nums" />
      </label>
      {last !== null && <span className="whitespace-nowrap">of {last}</span>}
    </form>
  );
}
