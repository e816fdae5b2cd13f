import { useMemo, useState } from "react";
import type { Citation } from "../../api/types";
import { plural } from "../../format";
import type { Names } from "../../names";
import { usePrinted } from "../../print/printing";
import { Icon } from "../../ui/Icon";
import { placeOf } from "../../viewer/marks";
import type { Source } from "../turns";
import { WithPreview } from "./Preview";

const FEW = 8;

interface Group {
  name: string;
  citations: Citation[];
}

/** Sources by document; beyond eight they are folded. */
export function Sources({ sources, citations, names, onCite }: { sources: Source[]; citations: ReadonlyMap<number, Citation>; names: Names; onCite: (citation: Citation) => void }) {
  const [all, setAll] = useState(false);
  const printed = usePrinted() !== null;
  const { groups, unknown } = useMemo(() => grouped(sources, citations), [sources, citations]);
  const folded = !all && !printed && sources.length > FEW;
  let left = folded ? FEW : Infinity;
  return (
    <section className="mt-5" aria-label="Sources">
      <p className="eyebrow mb-1.5">Sources</p>
      <ul className="divide-y divide-rule rounded-lg border border-rule bg-sheet">
        {groups.map((group) => {
          if (left <= 0) return null;
          const shown = group.citations.slice(0, left);
          left -= shown.length;
          return (
            <li key={group.name} className="px-3 py-2">
              <p className="truncate text-sm font-medium" title={group.name}>{names.of(group.name)}</p>
              <ul className="mt-0.5">{shown.map((citation) => <li key={citation.citation_id}><SourceLine citation={citation} onCite={onCite} /></li>)}</ul>
            </li>
          );
        })}
        {unknown.map((source) => <li key={source.number} className="px-3 py-2 text-sm text-soft">{`[${source.number}] ${names.in(source.name)}`}</li>)}
      </ul>
      {folded && (
        <button type="button" onClick={() => setAll(true)} className="mt-1.5 text-sm text-accent underline underline-offset-2">{`Show all ${plural(sources.length, "source")}`}</button>
      )}
    </section>
  );
}

function grouped(sources: Source[], citations: ReadonlyMap<number, Citation>): { groups: Group[]; unknown: Source[] } {
  const groups = new Map<string, Group>();
  const unknown: Source[] = [];
  for (const source of sources) {
    const citation = citations.get(source.number);
    if (!citation) {
      unknown.push(source);
      continue;
    }
    const group = groups.get(citation.document_id) ?? { name: citation.document_name, citations: [] };
    group.citations.push(citation);
    groups.set(citation.document_id, group);
  }
  return { groups: [...groups.values()], unknown };
}

function SourceLine({ citation, onCite }: { citation: Citation; onCite: (citation: Citation) => void }) {
  return (
    <WithPreview citation={citation}>
      {(preview) => (
        <button type="button" {...preview} onClick={() => onCite(citation)} className="flex w-full items-baseline gap-2.5 rounded px-1 py-0.5 text-left text-sm text-soft hover:bg-wash hover:text-ink">
          <span className="min-w-5 text-right font-semibold text-accent tabular-nums">{citation.number}</span>
          <span className="min-w-0 flex-1 truncate">{placeOf(citation) || "In the text"}</span>
          <Icon name="right" size={13} className="self-center text-edge print:hidden" />
        </button>
      )}
    </WithPreview>
  );
}
