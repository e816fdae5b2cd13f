import { Fragment, type ReactNode, memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { errorMessage, get, inChat, q } from "../api/http";
import type { Citation } from "../api/types";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { type Apart, type Attached, byParagraph } from "./apart";
import { Attachments } from "./Attachments";
import { FindBar } from "./FindBar";
import { ApartWords } from "./KeptApart";
import { type Section, unitsOf } from "./marks";
import { Outline } from "./Outline";
import { type TextBlock, textBlocks } from "./textBlocks";
import { TextToolbar, ZOOMS } from "./Toolbar";
import type { Hit } from "./useFind";
import { useViewerKeys } from "./useViewerKeys";

interface Whole {
  revision_id: string;
  text: string;
}

/** In the text, in UTF-16 units. */
interface Marked {
  kind: "mark" | "hit";
  from: number;
  to: number;
}

/** Formats without pages: the whole text with its headings and tables, the quoted words marked; to be searched, enlarged and gone through by its outline. */
export function TextView({ documentId, length, citation, sections, words, attachments, apart }: {
  documentId: string;
  /** In code points; null while unknown. */
  length: number | null;
  citation: Citation | undefined; sections: readonly Section[];
  /** What is looked for from the beginning. */
  words: string;
  attachments: readonly Attached[]; apart: readonly Apart[];
}) {
  const [whole, setWhole] = useState<Whole | null>(null);
  const [failure, setFailure] = useState("");
  const [zoom, setZoom] = useState(1);
  const [finding, setFinding] = useState(words !== "");
  const [outlined, setOutlined] = useState(false);
  const [hit, setHit] = useState<Hit | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!length) return;
    const gone = new AbortController();
    get<Whole>(`/api/documents/${q(documentId)}/text?start=0&end=${length}`, gone.signal).then(setWhole, (error) => !gone.signal.aborted && setFailure(errorMessage(error)));
    return () => gone.abort();
  }, [documentId, length]);

  const starts = useMemo(() => new Map(whole ? sections.map((section) => [unitsOf(whole.text, section.start), section]) : []), [whole, sections]);
  const gone = useMemo(() => (whole ? byParagraph(whole.text, apart) : new Map<number, Apart[]>()), [whole, apart]);
  const blocks = useMemo(() => (whole ? textBlocks(whole.text, new Set([...starts.keys(), ...gone.keys()])) : []), [whole, starts, gone]);
  const marks = useMemo<Marked[]>(() => {
    if (!whole) return [];
    const found: Marked[] = [];
    if (citation) found.push({ kind: "mark", from: unitsOf(whole.text, citation.start), to: unitsOf(whole.text, citation.end) });
    if (hit) found.push({ kind: "hit", from: unitsOf(whole.text, hit.span.start), to: unitsOf(whole.text, hit.span.end) });
    return found;
  }, [whole, citation, hit]);
  // Some browsers return a promise, which must not become the effect's clean-up.
  useEffect(() => void box.current?.querySelector("[data-testid=hit]")?.scrollIntoView({ block: "center" }), [hit]);
  useEffect(() => {
    if (whole && citation) box.current?.querySelector("[data-testid=mark]")?.scrollIntoView({ block: "center" });
  }, [whole, citation]);

  const closeFind = useCallback(() => {
    setFinding(false);
    setHit(undefined);
    // The keys go on working.
    box.current?.closest<HTMLElement>("[data-testid=viewer]")?.focus({ preventScroll: true });
  }, []);
  const magnify = (by: number) => setZoom((now) => ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(now) + by))] ?? 1);
  useViewerKeys(box, { find: () => setFinding(true), larger: () => magnify(1), smaller: () => magnify(-1), outline: () => setOutlined((now) => !now) });

  if (failure) return <div className="p-4"><Notice kind="error">{failure}</Notice></div>;
  if (length === 0) return citation ? <Earlier documentId={documentId} citation={citation} /> : <div className="p-4"><Notice kind="note">There is no text in it.</Notice></div>;
  if (whole && citation && citation.revision_id !== whole.revision_id) return <Earlier documentId={documentId} citation={citation} />;
  const goTo = (section: Section) => whole && box.current?.querySelector(`[data-at="${unitsOf(whole.text, section.start)}"]`)?.scrollIntoView({ block: "start" });
  return (
    <div ref={box} className="flex h-full min-h-0 flex-col">
      <TextToolbar zoom={zoom} finding={finding} outlined={outlined} hasOutline={sections.length > 0} onZoom={magnify} onFind={() => (finding ? closeFind() : setFinding(true))} onOutline={() => setOutlined(!outlined)} />
      {finding && <FindBar documentId={documentId} page={1} words={words} onFound={setHit} onClose={closeFind} />}
      {outlined && <Outline sections={sections} onGo={goTo} />}
      <Attachments attached={attachments} />
      {!whole ? <p className="flex items-center gap-2 p-4 text-sm text-soft"><Spinner /> Fetching the text …</p> : (
        <div className="scroll min-h-0 flex-1 bg-sheet px-6 py-5" tabIndex={0} role="group" aria-label="Text">
          <div className="mx-auto font-serif leading-relaxed [overflow-wrap:anywhere]" data-testid="text" style={{ fontSize: `${zoom}rem`, maxWidth: `${65 * zoom}ch` }}>
            {blocks.map((block) => {
              const within = marks.filter(({ from, to }) => from < block.to && to > block.from);
              return (
                <Fragment key={block.from}>
                  <Block block={block} headed={Boolean(starts.get(block.from)?.title)} marks={within.length ? within : NO_MARKS} />
                  <ApartWords entries={gone.get(block.to) ?? NONE} />
                </Fragment>
              );
            })}
            <ApartWords entries={apart.filter(({ at }) => at === null)} placed />
          </div>
        </div>
      )}
    </div>
  );
}

const NO_MARKS: readonly Marked[] = [];
const NONE: readonly Apart[] = [];
/** A guess of what is not drawn yet, so that the bar of a long text does not jump. */
const LINE_REM = 1.6;
/** A section may begin with its first sentence. */
const LONGEST_HEADING = 120;

const Block = memo(function Block({ block, headed, marks }: { block: TextBlock; headed: boolean; marks: readonly Marked[] }) {
  const guess = { contentVisibility: "auto", containIntrinsicSize: `auto ${block.rows.length * LINE_REM}rem` } as const;
  if (block.kind === "table") {
    return (
      <div style={guess} data-at={block.from} className="my-3 overflow-x-auto">
        <table className="border-collapse font-sans text-[0.875em]">
          <tbody>{block.rows.map((row) => <tr key={row[0]!.at}>{row.map((cell) => <td key={cell.at} className="border border-rule px-2.5 py-1 align-top">{drawn(cell.text, cell.at, marks)}</td>)}</tr>)}</tbody>
        </table>
      </div>
    );
  }
  return (
    <div style={guess} data-at={block.from}>
      {block.rows.map(([line], n) => <p key={line!.at} className={`min-h-[1em] whitespace-pre-wrap ${headed && n === 0 && line!.text.length < LONGEST_HEADING ? "font-semibold" : ""}`}>{drawn(line!.text, line!.at, marks)}</p>)}
    </div>
  );
});

/** A piece of text that begins at `at`, with what is marked in it. */
function drawn(text: string, at: number, marks: readonly Marked[]): ReactNode {
  const here = marks.filter(({ from, to }) => from < at + text.length && to > at);
  if (!here.length) return text;
  const edges = [...new Set([0, text.length, ...here.flatMap(({ from, to }) => [Math.max(0, from - at), Math.min(text.length, to - at)])])].sort((a, b) => a - b);
  return edges.slice(0, -1).map((edge, n) => {
    const part = text.slice(edge, edges[n + 1]);
    const kinds = here.filter(({ from, to }) => from <= at + edge && to > at + edge).map(({ kind }) => kind);
    if (!kinds.length) return part;
    const isHit = kinds.includes("hit");
    return <mark key={edge} data-testid={isHit ? "hit" : "mark"} className={isHit ? "ring-2 ring-[#c25e00]" : ""}>{part}</mark>;
  });
}

/** The excerpt of a cited older version, as an image from the server. */
function Earlier({ documentId, citation }: { documentId: string; citation: Citation }) {
  return (
    <div className="scroll h-full bg-sunk p-4">
      <Notice kind="warning">The document has a newer version. This is the one that was quoted.</Notice>
      <img src={inChat(`/api/documents/${q(documentId)}/pages/1/image?citation=${q(citation.citation_id)}`)} alt={`Excerpt of the earlier version, the quoted words marked: ${citation.text.slice(0, 200)}`} className="mt-3 w-full bg-white shadow-md" />
    </div>
  );
}

