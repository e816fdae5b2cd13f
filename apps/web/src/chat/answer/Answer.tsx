import { type ReactNode, useMemo, useRef } from "react";
import type { Citation } from "../../api/types";
import { shortName } from "../../names";
import { Chip, Markdown } from "../Markdown";
import { splitSources } from "../turns";
import { CopyAnswer } from "./CopyAnswer";
import { HowFound } from "./HowFound";
import { type DocumentQuotations, readAnswer } from "./parse";
import { Sources } from "./Sources";

interface Props {
  text: string;
  citations: ReadonlyMap<number, Citation>;
  onCite: (citation: Citation) => void;
  /** Asks the documents that were not asked; none while an answer is being written. */
  /** Further buttons beside "Copy the answer". */
  actions?: ReactNode;
  onAskRest: ((asked: ReadonlySet<string>) => void) | undefined;
}

/** An answer: quotations by document, prose as it is, one line on what was asked, and the sources. */
export function Answer({ text, citations, onCite, onAskRest, actions }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { body, sources } = useMemo(() => splitSources(text), [text]);
  const { parts, coverage, notes } = useMemo(() => readAnswer(body, citations), [body, citations]);
  const asked = useMemo(() => {
    const cited = [...citations.values()].filter((citation) => text.includes(`\uE002${citation.number}\uE003`)).map((citation) => citation.document_id);
    return new Set([...cited, ...notes.flatMap((note) => note.replace(/^[^:]*: /, "").replace(/\.$/, "").split(", "))]);
  }, [citations, notes, text]);
  return (
    <div data-testid="answer">
      <div ref={box} className="space-y-4">
        {parts.map((part, n) => part.kind === "prose"
          ? <Markdown key={n} text={part.text} citations={citations} onCite={onCite} />
          : part.documents.map((document) => <FromDocument key={document.documentId} document={document} citations={citations} onCite={onCite} />))}
      </div>
      <HowFound coverage={coverage} notes={notes} onAskRest={onAskRest && (() => onAskRest(asked))} />
      {sources.length > 0 && <Sources sources={sources} citations={citations} onCite={onCite} />}
      {text.trim() && <div className="mt-2 -ml-2 flex items-center gap-1"><CopyAnswer box={box} citations={citations} />{actions}</div>}
    </div>
  );
}

function FromDocument({ document, citations, onCite }: { document: DocumentQuotations; citations: Props["citations"]; onCite: Props["onCite"] }) {
  return (
    <section className="prose" aria-label={document.name}>
      <h3 title={document.name}>{shortName(document.name)}</h3>
      {document.quotations.map((quotation, n) => (
        <p key={n} className="border-l-2 border-rule pl-4">
          <q className="quoted before:content-none after:content-none">{quotation.text}</q>
          {quotation.numbers.map((number) => {
            const citation = citations.get(number);
            return citation ? <Chip key={number} citation={citation} onCite={onCite} /> : ` [${number}]`;
          })}
        </p>
      ))}
    </section>
  );
}
