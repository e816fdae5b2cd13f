import { useMemo, useState } from "react";
import { q } from "../api/http";
import type { Matter } from "../api/types";
import { moment } from "../format";
import { shortName } from "../names";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { actionInWords, detailInWords, isLook } from "./recordWords";
import { useList } from "./useList";

interface Entry {
  seq: number;
  at: string;
  email: string | null;
  action: string;
  document_name: string | null;
  detail: Record<string, unknown> | null;
  hash: string;
}

const MOST = 10_000;
const AT_ONCE = 100;
/** Columns that a narrow window has no room for; who did it stands with what was done. */
const WIDE = new Set(["No.", "Who"]);

/** The matter's audit log, newest first. Entries are hash-chained, so removal is detectable. */
export function RecordList({ matter }: { matter: Matter }) {
  const { list, failure } = useList<Entry>(`/api/matters/${q(matter.id)}/audit?limit=${MOST}`);
  const [shown, setShown] = useState(AT_ONCE);
  const [looks, setLooks] = useState(false);
  const newest = useMemo(() => (list ?? []).filter((entry) => looks || !isLook(entry.action)).reverse(), [list, looks]);
  return (
    <div className="space-y-4">
      <p className="text-sm text-soft">Everything that was read, asked or changed. The entries are chained: one that was altered or removed would show.{list && list.length >= MOST && ` These are the first ${MOST.toLocaleString()} entries.`}</p>
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={looks} onChange={(event) => setLooks(event.target.checked)} className="size-4 accent-[var(--accent)]" />
        Include what was only looked at
      </label>
      {failure && <Notice kind="error">{failure}</Notice>}
      {!list && !failure && <Spinner />}
      {list && newest.length === 0 && <p className="text-sm text-soft">Nothing was changed yet.</p>}
      {newest.length > 0 && (
        <div className="overflow-x-auto rounded-lg border border-rule bg-sheet" tabIndex={0} role="group" aria-label="Record">
          <table className="w-full text-left text-sm">
            <thead className="border-b border-rule text-soft">
              <tr>{["No.", "When", "Who", "What"].map((name) => <th key={name} scope="col" className={`px-3 py-2 font-medium ${WIDE.has(name) ? "max-sm:hidden" : ""}`}>{name}</th>)}</tr>
            </thead>
            <tbody className="divide-y divide-rule">
              {newest.slice(0, shown).map((entry) => (
                <tr key={entry.seq} className="align-top">
                  <td className="px-3 py-1.5 text-soft tabular-nums max-sm:hidden" title={`Hash ${entry.hash}`}>{entry.seq}</td>
                  <td className="w-24 px-3 py-1.5 sm:w-auto sm:whitespace-nowrap">{moment(entry.at)}</td>
                  <td className="max-w-48 truncate px-3 py-1.5 max-sm:hidden" title={entry.email ?? undefined}>{entry.email ?? "the installation"}</td>
                  <td className="px-3 py-1.5">
                    {actionInWords(entry.action)}<span className="text-soft sm:hidden">{`, ${entry.email ?? "the installation"}`}</span>
                    {detailInWords(entry.action, entry.detail) && <span className="block [overflow-wrap:anywhere]">{detailInWords(entry.action, entry.detail)}</span>}
                    {entry.document_name && <span className="block text-soft [overflow-wrap:anywhere]" title={entry.document_name}>{shortName(entry.document_name)}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {newest.length > shown && <Button onClick={() => setShown(shown + AT_ONCE)}>Show more</Button>}
    </div>
  );
}
