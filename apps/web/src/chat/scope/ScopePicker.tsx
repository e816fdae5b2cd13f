import { useMemo, useState } from "react";
import type { Document } from "../../api/types";
import { plural } from "../../format";
import { Names, shortName } from "../../names";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { FileName } from "../../ui/FileName";

interface Group {
  folder: string;
  documents: Document[];
}

/** Ticks the documents and folders that questions are kept to. */
export function ScopePicker({ title = "What questions look into", about = "The choice holds for this conversation and its follow-ups, until you change it.", action = "Look into these", documents, paths, chosen, onChosen, onClose }: {
  title?: string; about?: string; action?: string;
  documents: Document[]; paths: ReadonlyMap<string, string>; chosen: readonly string[] | null; onChosen: (ids: string[] | null) => void; onClose: () => void;
}) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(() => new Set(chosen ?? documents.map((document) => document.id)));
  const [filter, setFilter] = useState("");
  const names = useMemo(() => new Names(documents.map((document) => document.filename)), [documents]);
  const groups = useMemo(() => grouped(documents, paths, filter), [documents, paths, filter]);
  const tick = (ids: string[], on: boolean) => setTicked((now) => {
    const next = new Set(now);
    for (const id of ids) if (on) next.add(id); else next.delete(id);
    return next;
  });
  const shown = groups.flatMap((group) => group.documents.map((document) => document.id));
  const done = () => {
    const ids = documents.map((document) => document.id).filter((id) => ticked.has(id));
    onChosen(ids.length === documents.length ? null : ids);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose} wide>
      <form className="space-y-3" onSubmit={(event) => (event.preventDefault(), done())}>
        <p className="text-sm text-soft">{about}</p>
        <div className="flex gap-2">
          <input type="search" autoFocus aria-label="Filter by name or folder" placeholder="Filter by name or folder" value={filter} onChange={(event) => setFilter(event.target.value)} className="field min-w-0 flex-1 py-1.5 text-sm" />
          <Button onClick={() => tick(shown, true)}>All</Button>
          <Button onClick={() => tick(shown, false)}>None</Button>
        </div>
        <div className="scroll max-h-[50vh] rounded-lg border border-rule" role="group" aria-label="Documents">
          {groups.map(({ folder, documents: within }) => (
            <div key={folder} style={{ contentVisibility: "auto", containIntrinsicSize: `auto ${2 + within.length * 2}rem` }}>
              {(folder || groups.length > 1) && <Tick name={folder || "Outside folders"} bold ids={within.map((document) => document.id)} ticked={ticked} onTick={tick} />}
              {within.map((document) => <Tick key={document.id} name={names.of(document.filename)} title={document.filename} indent={Boolean(folder)} ids={[document.id]} ticked={ticked} onTick={tick} />)}
            </div>
          ))}
          {groups.length === 0 && <p className="p-3 text-sm text-soft">No document has “{filter}” in its name.</p>}
        </div>
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto text-sm text-soft" role="status">{`${plural(ticked.size, "document")} ticked`}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={ticked.size === 0}>{action}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Tick({ name, title, ids, ticked, onTick, bold = false, indent = false }: { name: string; title?: string; ids: string[]; ticked: ReadonlySet<string>; onTick: (ids: string[], on: boolean) => void; bold?: boolean; indent?: boolean }) {
  const on = ids.filter((id) => ticked.has(id)).length;
  return (
    <label title={title} className={`flex cursor-pointer items-center gap-2.5 px-3 py-1.5 text-sm hover:bg-wash ${bold ? "bg-sunk font-medium" : ""} ${indent ? "pl-8" : ""}`}>
      <input
        type="checkbox" checked={on === ids.length} onChange={(event) => onTick(ids, event.target.checked)} className="size-4 shrink-0 accent-[var(--accent)]"
        ref={(box) => { if (box) box.indeterminate = on > 0 && on < ids.length; }}
      />
      <span className="min-w-0 [overflow-wrap:anywhere]"><FileName name={name} /></span>
    </label>
  );
}

function grouped(documents: Document[], paths: ReadonlyMap<string, string>, filter: string): Group[] {
  const words = filter.trim().toLowerCase();
  const groups = new Map<string, Document[]>();
  for (const document of documents) {
    const folder = paths.get(document.folder_id ?? "") ?? "";
    if (`${folder} ${document.filename} ${shortName(document.filename)}`.toLowerCase().includes(words)) groups.set(folder, [...(groups.get(folder) ?? []), document]);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([folder, within]) => ({ folder, documents: within.sort((a, b) => a.filename.localeCompare(b.filename)) }));
}
