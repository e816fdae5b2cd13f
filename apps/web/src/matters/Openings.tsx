import { useEffect, useMemo, useState } from "react";
import { get, q } from "../api/http";
import type { Document, Matter } from "../api/types";
import { plural, valueText } from "../format";
import { Names } from "../names";
import { showSource } from "../router";

const FEW = 8;
const MOST = 100;

interface Opening {
  document_id: string;
  parties: string[];
  date: string | null;
}

/** The parties and the date that each agreement names in its opening, earliest first. Nothing where none names any. */
export function Openings({ matter, documents }: { matter: Matter; documents: readonly Document[] }) {
  const [found, setFound] = useState<Opening[]>([]);
  const [all, setAll] = useState(false);
  const ready = documents.filter((document) => document.has_revision).length;
  useEffect(() => {
    const gone = new AbortController();
    get<Opening[]>(`/api/matters/${q(matter.id)}/openings?limit=${MOST}`, gone.signal).then(setFound, () => undefined);
    return () => gone.abort();
  }, [matter.id, ready]);
  const names = useMemo(() => new Names(documents.map((document) => document.filename)), [documents]);
  const byId = useMemo(() => new Map(documents.map((document) => [document.id, document])), [documents]);
  const rows = found.filter((opening) => byId.has(opening.document_id) && (opening.date || opening.parties.length)).sort((a, b) => (a.date ?? "9").localeCompare(b.date ?? "9"));
  if (!rows.length) return null;
  return (
    <section aria-label="Parties and dates">
      <p className="eyebrow mb-1.5">Parties and dates, as the documents begin</p>
      <table className="w-full border-collapse overflow-hidden rounded-lg border border-rule bg-sheet text-left text-sm" data-testid="openings">
        <thead className="sr-only"><tr><th scope="col">Date</th><th scope="col">Document and parties</th></tr></thead>
        <tbody>
          {rows.slice(0, all ? undefined : FEW).map(({ document_id: id, date, parties }) => (
            <tr key={id} className="border-b border-rule align-top last:border-0">
              <td className="w-40 py-2 pr-4 pl-3 max-sm:w-28 text-soft tabular-nums sm:whitespace-nowrap">{date && valueText(date)}</td>
              <td className="py-2 pr-3">
                <button type="button" title={byId.get(id)!.filename} onClick={() => showSource({ document: id, page: null, citation: null, words: null })} className="text-left font-medium hover:underline [overflow-wrap:anywhere]">{names.of(byId.get(id)!.filename)}</button>
                {parties.length > 0 && <span className="block text-soft">{parties.join(" · ")}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!all && rows.length > FEW && <button type="button" onClick={() => setAll(true)} className="mt-1.5 text-sm text-accent underline underline-offset-2">{`Show all ${plural(rows.length, "document")}`}</button>}
      {documents.length > MOST && <p className="mt-1 text-sm text-soft">{`Of the first ${MOST} documents`}</p>}
    </section>
  );
}
