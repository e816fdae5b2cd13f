import { useEffect, useState } from "react";
import { get, q, errorMessage } from "../api/http";
import { count, moment, plural } from "../format";
import { shortName } from "../names";
import { showSource } from "../router";
import { Spinner } from "../ui/Icon";
import { EarlierVersion } from "./EarlierVersion";

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
  revisions: { id: string; current: boolean }[];
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
      {versions.length > 1 && <Versions documentId={documentId} versions={versions} />}
    </div>
  );
}

/** The files of a document, newest first. Each that was read is opened: the current one as a source, an earlier one as its text. */
function Versions({ documentId, versions }: { documentId: string; versions: readonly Version[] }) {
  const [opened, setOpened] = useState<{ revision: string; title: string } | null>(null);
  return (
    <div>
      <p className="eyebrow mb-1">Versions</p>
      <ul className="space-y-0.5">
        {versions.map((version, n) => {
          const about = [moment(version.received_at), version.received_by].filter(Boolean).join(", ");
          const revision = version.revisions.find(({ current }) => current) ?? version.revisions.at(-1);
          const open = () => (!revision ? undefined : revision.current ? showSource({ document: documentId, page: null, citation: null, words: null }) : setOpened({ revision: revision.id, title: `${shortName(version.filename)}, ${moment(version.received_at)}` }));
          return (
            <li key={n} className="text-soft [overflow-wrap:anywhere]">
              {revision ? <button type="button" onClick={open} title={version.filename} className="text-left text-accent underline-offset-2 hover:underline">{shortName(version.filename)}</button> : <span title={version.filename}>{shortName(version.filename)}</span>}
              {`, ${about}${revision?.current ? ", the current one" : ""}${version.unread_reason ? `: ${version.unread_reason}` : ""}`}
            </li>
          );
        })}
      </ul>
      {opened && <EarlierVersion documentId={documentId} revision={opened.revision} title={opened.title} onClose={() => setOpened(null)} />}
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
