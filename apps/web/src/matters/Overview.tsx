import { useMemo } from "react";
import type { Document, Matter } from "../api/types";
import { kindOf } from "../documents/kinds";
import { statusOf } from "../documents/status";
import { count, day, plural, typeName } from "../format";
import { shortName } from "../names";
import { showSource } from "../router";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Openings } from "./Openings";

const FEW = 5;
const QUESTIONS = ["Who are the parties to each agreement?", "When was each agreement made?", "Which law governs the agreements?"];

/** What a matter holds: kinds and dates of its documents, what is being read, and what could not be read. */
export function Overview({ matter, documents, paths, onAsk }: { matter: Matter; documents: Document[] | null; paths: ReadonlyMap<string, string>; onAsk: (question: string) => void }) {
  const about = useMemo(() => summary(documents ?? []), [documents]);
  if (!documents) return <p className="flex items-center gap-2 text-sm text-soft"><Spinner /> Loading …</p>;
  if (!documents.length) return <Notice kind="note">There are no documents in this matter yet. Drop them on “Documents”.</Notice>;
  return (
    <div className="space-y-5" data-testid="overview">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Figure name="Documents" value={count(documents.length)} />
        <Figure name="Pages" value={count(about.pages)} />
        <Figure name="Folders" value={count(paths.size)} />
        <Figure name="Added last" value={day(about.latest)} />
      </dl>
      <div className="flex flex-wrap gap-x-8 gap-y-4">
        <Counts name="Kinds, by name" counts={about.kinds} />
        <Counts name="Files" counts={about.files} />
      </div>
      <Openings matter={matter} documents={documents} />
      {about.reading > 0 && <Notice kind="note">{`${plural(about.reading, "document")} being read. Answers do not cover ${about.reading === 1 ? "it" : "them"} yet.`}</Notice>}
      {about.problems.length > 0 && (
        <section aria-label="Not or partly read">
          <p className="eyebrow mb-1.5">{`Not or partly read (${count(about.problems.length)})`}</p>
          <ul className="divide-y divide-rule rounded-lg border border-rule bg-sheet">
            {about.problems.slice(0, FEW).map((document) => {
              const { label, reason } = statusOf(document);
              return (
                <li key={document.id} className="px-3 py-2 text-sm">
                  <button type="button" disabled={!document.has_revision} onClick={() => showSource({ document: document.id, page: null, citation: null, words: null })} title={document.filename} className="max-w-full truncate font-medium enabled:hover:underline">{shortName(document.filename)}</button>
                  <p className="text-warn">{`${label}: ${reason}`}</p>
                </li>
              );
            })}
          </ul>
          {about.problems.length > FEW && <p className="mt-1 text-sm text-soft">{`and ${count(about.problems.length - FEW)} more, in the list of documents`}</p>}
        </section>
      )}
      <section aria-label="To ask">
        <p className="eyebrow mb-1.5">To ask first</p>
        <ul className="space-y-1 text-sm">{QUESTIONS.map((question) => <li key={question}><button type="button" onClick={() => onAsk(question)} className="text-accent underline-offset-2 hover:underline">{question}</button></li>)}</ul>
      </section>
      <p className="sr-only">{matter.title}</p>
    </div>
  );
}

function Counts({ name, counts }: { name: string; counts: readonly (readonly [string, number])[] }) {
  return (
    <section aria-label={name}>
      <p className="eyebrow mb-1.5">{name}</p>
      <ul className="flex flex-wrap gap-1.5">{counts.map(([kind, n]) => <li key={kind} className="rounded-full border border-rule bg-sheet px-2.5 py-0.5 text-sm">{`${kind} ${count(n)}`}</li>)}</ul>
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="rounded-lg border border-rule bg-sheet px-3.5 py-2.5">
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="mt-0.5 font-serif text-lg tabular-nums">{value}</dd>
    </div>
  );
}

function summary(documents: readonly Document[]) {
  const of = (...wanted: string[]) => documents.filter((document) => wanted.includes(statusOf(document).kind));
  return {
    kinds: counted(documents.map((document) => kindOf(document.filename))),
    files: counted(documents.map((document) => typeName(document.content_type, document.filename))),
    pages: documents.reduce((sum, document) => sum + (document.paged ? (document.page_count ?? 0) : 0), 0),
    latest: documents.reduce((latest, document) => (document.created_at > latest ? document.created_at : latest), ""),
    reading: of("busy").length,
    problems: of("partial", "failed"),
  };
}

/** How often each stands in the list, the most frequent first. */
function counted(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
