import { useEffect, useState } from "react";
import { get, q, errorMessage } from "../api/http";
import { count, moment, plural } from "../format";
import { Spinner } from "../ui/Icon";

interface PageHealth {
  number: number;
  source: string;
  confidence: number | null;
  ocr_engine: string | null;
  flags: string[];
  characters: number;
}

interface Report {
  health: { summary?: string; sentences?: string[]; notes?: string[] } | null;
  pages: PageHealth[];
  attachments: { name: string; status: string | null; status_reason: string | null }[];
  changes: { kind: string; author: string | null; date: string | null; text: string }[];
}

interface Version {
  filename: string;
  received_at: string;
  received_by: string | null;
  unread_reason: string | null;
}

/** Health report: warnings about how a document was read. */
export function Health({ documentId, stamp }: { documentId: string; stamp: string }) {
  const [report, set] = useState<Report | null>(null);
  const [versions, setVersions] = useState<Version[]>([]);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    const gone = new AbortController();
    get<Version[]>(`/api/documents/${q(documentId)}/revisions`, gone.signal).then(setVersions, () => undefined);
    get<Report>(`/api/documents/${q(documentId)}/health`, gone.signal).then(set, (error) => !gone.signal.aborted && setFailure(errorMessage(error)));
    return () => gone.abort();
  }, [documentId, stamp]);
  if (failure) return <p className="text-sm text-bad">{failure}</p>;
  if (!report) return <p className="flex items-center gap-2 text-sm text-soft"><Spinner size={14} /> Looking how it was read …</p>;
  const sentences = [report.health?.summary ?? "Nothing of it has been read yet.", ...(report.health?.sentences ?? []), ...(report.health?.notes ?? [])];
  return (
    <div className="space-y-2 text-sm" data-testid="health">
      {sentences.map((sentence, n) => <p key={n} className={n ? "text-soft" : ""}>{sentence}</p>)}
      <Part title="Pages to look at" entries={report.pages.filter(hasProblem).map(pageLine)} />
      <Part title="Tracked changes" entries={report.changes.map((c) => `${c.author ?? "unnamed"}, ${c.kind}: “${c.text}”`)} />
      <Part title="Attached files" entries={report.attachments.map((a) => `${a.name}: ${a.status ?? "not taken in"}${a.status_reason ? `, ${a.status_reason}` : ""}`)} />
      {versions.length > 1 && <Part title="Versions" entries={versions.map((v) => `${v.filename}, ${moment(v.received_at)}${v.received_by ? `, ${v.received_by}` : ""}${v.unread_reason ? `: ${v.unread_reason}` : ""}`)} />}
    </div>
  );
}

/** Confidence below which a machine's reading is to be compared with its picture. */
const UNSURE = 80;

const hasProblem = (page: PageHealth): boolean => page.flags.length > 0 || page.source === "none" || (page.confidence !== null && page.confidence < UNSURE);

function pageLine(page: PageHealth): string {
  const by = page.source === "ocr" ? `, read from its picture${page.ocr_engine ? ` by ${page.ocr_engine}` : ""}` : "";
  const sure = page.confidence === null ? "" : `, confidence ${Math.round(page.confidence)} of 100`;
  const flags = page.flags.length ? ` (${page.flags.join(", ").replaceAll("_", " ")})` : "";
  return `Page ${page.number}: ${plural(page.characters, "character")}${by}${sure}${flags}`;
}

const FIRST = 8;

function Part({ title, entries }: { title: string; entries: string[] }) {
  const [all, setAll] = useState(false);
  if (!entries.length) return null;
  const shown = all ? entries : entries.slice(0, FIRST);
  return (
    <div>
      <p className="eyebrow">{`${title} (${count(entries.length)})`}</p>
      <ul className="mt-1 space-y-0.5 text-soft">
        {shown.map((entry, n) => <li key={n} className="[overflow-wrap:anywhere]">{entry}</li>)}
      </ul>
      {entries.length > shown.length && <button type="button" className="mt-1 text-accent underline-offset-2 hover:underline" onClick={() => setAll(true)}>{`Show all ${count(entries.length)}`}</button>}
    </div>
  );
}
