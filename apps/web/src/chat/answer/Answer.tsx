import { type ReactNode, useMemo, useRef } from "react";
import { type Citation, type Document, READABLE } from "../../api/types";
import { plural } from "../../format";
import type { Names } from "../../names";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import { Notice } from "../../ui/Notice";
import { useStoredState } from "../../useStoredState";
import { Markdown } from "../Markdown";
import { splitSources } from "../turns";
import type { Check } from "./checks";
import { CopyAnswer } from "./CopyAnswer";
import { DocumentsTable } from "./DocumentsTable";
import { Draft } from "./Draft";
import { FromDocument } from "./FromDocument";
import { coverageText, HowFound } from "./HowFound";
import { Listing } from "./Listing";
import { readAnswer } from "./parse";
import { Sources } from "./Sources";
import { showFirst } from "./stepping";

/** The documents at this moment, and those of them that questions are put to (null: all). */
export interface Asked {
  documents: readonly Document[];
  chosen: readonly string[] | null;
  names: Names;
}

interface Props {
  text: string;
  /** What readers are told to check, tinted in `text`. */
  checks: readonly Check[];
  citations: ReadonlyMap<number, Citation>;
  asked: Asked;
  /** An answer to the same question, from other documents. */
  earlier: string;
  onCite: (citation: Citation) => void;
  /** Further buttons beside "Copy the answer". */
  actions?: ReactNode;
  /** Asks these documents; none while an answer is being written. */
  onAskRest: ((ids: string[]) => void) | undefined;
}

/** An answer: quotations by document, prose as it is, one line on what was asked, and the sources. */
export function Answer({ text, checks, citations, asked, earlier, onCite, onAskRest, actions }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { body, notice, sources } = useMemo(() => splitSources(text, checks.length > 0), [text, checks]);
  const { parts, coverage, notes } = useMemo(() => readAnswer(body, citations), [body, citations]);
  const before = useMemo(() => readAnswer(splitSources(earlier).body, citations), [earlier, citations]);
  const { documents, chosen, names } = asked;
  const [asTable, setAsTable] = useStoredState<boolean>("answer.table", false);
  const several = parts.some((part) => part.kind === "quotations" && part.documents.length > 1);
  const covered = coverage && { asked: coverage.asked + (before.coverage?.asked ?? 0), total: Math.max(coverage.total ?? 1, documents.length) };
  const shownCoverage = covered && { ...covered, asked: Math.min(covered.asked, covered.total) };
  const covering = shownCoverage ? coverageText(shownCoverage) : "";
  const rest = useMemo(() => {
    const cited = new Set([...citations.values()].filter((citation) => `${earlier}${text}`.includes(`\uE002${citation.number}\uE003`)).map((citation) => citation.document_id));
    const told = [...before.notes, ...notes].join("\n");
    return documents.filter((document) => READABLE.has(document.status) && (!chosen || chosen.includes(document.id)) && !cited.has(document.id) && !told.includes(document.filename)).map((document) => document.id);
  }, [before, citations, documents, chosen, earlier, notes, text]);
  return (
    <div data-testid="answer" data-coverage={covering}>
      <div ref={box} className="space-y-4">
        {parts.map((part, n) =>
          part.kind === "prose" ? <Markdown key={n} text={names.in(part.text)} checks={checks} citations={citations} onCite={onCite} />
          : part.kind === "draft" ? <Draft key={n} text={part.text} />
          : part.kind === "listing" ? <Listing key={n} listed={part.documents} asked={asked} />
          : asTable && part.documents.length > 1 ? <DocumentsTable key={n} documents={part.documents} names={names} citations={citations} onCite={onCite} />
          : part.documents.map((document) => <FromDocument key={document.documentId} document={document} name={names.of(document.name)} citations={citations} onCite={onCite} />))}
        {notice && <Notice kind="warning"><div className="text-ink [&_.prose]:text-[0.9375rem] [&_.prose>p]:font-semibold [&_.quoted]:bg-none"><Markdown text={names.in(notice)} citations={citations} onCite={onCite} /></div></Notice>}
      </div>
      {checks.length > 0 && (
        <p data-noprint className="mt-4 text-sm text-soft" data-testid="to-check">
          <button type="button" onClick={() => showFirst(box.current!)} className="text-accent underline underline-offset-2">{`${plural(checks.length, "statement")} to check`}</button><span className="pointer-coarse:hidden"> · F8: next, Shift+F8: previous; at one of them also N and P</span>
        </p>
      )}
      <HowFound coverage={shownCoverage} notes={notes.map((note) => names.in(note))} onAskRest={onAskRest && rest.length > 0 ? () => onAskRest(rest) : undefined} />
      {sources.length > 0 && <Sources sources={sources} citations={citations} names={names} onCite={onCite} />}
      {text.trim() && <div className="mt-2 -ml-2 flex items-center gap-1"><CopyAnswer box={box} citations={citations} coverage={covering} sources={sources.flatMap(({ number }) => citations.get(number) ?? [])} />
        {several && <Button kind="quiet" className="!min-h-8 px-2 text-[0.8125rem] text-soft" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}><Icon name="list" size={15} /> As a table</Button>}
        {actions}
      </div>}
    </div>
  );
}
