import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { change, q } from "../api/http";
import type { Document, Matter, User } from "../api/types";
import { day, plural } from "../format";
import { useFailure } from "../live/useFailure";
import { Reviews } from "../reviews/Reviews";
import { go } from "../router";
import { Button, IconButton } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Folders } from "./Folders";
import { Overview } from "./Overview";
import { Members } from "./Members";
import { RecordList } from "./RecordList";
import { Walls } from "./Walls";

const ROLES = { owner: "You own this matter.", editor: "You edit this matter: you may add and remove documents.", viewer: "You read this matter." };

const NONE: Document[] = [];

interface Props {
  matter: Matter;
  /** The tab that is open, as the address names it. */
  tab: string | undefined;
  user: User;
  /** The matter's documents, and the panel that shows them. */
  documents: Document[] | null;
  paths: ReadonlyMap<string, string>;
  panel: ReactNode;
  onChanged: () => Promise<void>;
  /** Asks about the matter; with a question, puts it into the composer. */
  onAsk: (id: string, question?: string) => void;
}

export function MatterDetail({ matter, tab, user, documents, paths, panel, onChanged, onAsk }: Props) {
  const owns = matter.role === "owner";
  const tabs = [
    { name: "Overview", panel: <Overview matter={matter} documents={documents} paths={paths} onAsk={(question) => onAsk(matter.id, question)} /> },
    { name: "Documents", panel: <div className="h-[calc(100dvh-12.5rem)] min-h-96 overflow-hidden rounded-lg border border-rule">{panel}</div> },
    { name: "People", panel: <Members matter={matter} user={user} owns={owns} /> },
    { name: "Reviews", panel: <Reviews matter={matter} documents={documents ?? NONE} paths={paths} /> },
    ...(owns ? [{ name: "Walls", panel: <Walls matter={matter} mayLift={user.is_conflicts_officer ?? false} /> }] : []),
    { name: "Folders", panel: <Folders matter={matter} mayChange={matter.role !== "viewer"} /> },
    ...(owns ? [{ name: "Record", panel: <RecordList matter={matter} /> }] : []),
  ];
  const at = Math.max(0, tabs.findIndex(({ name }) => name.toLowerCase() === tab));
  const setAt = (n: number) => go({ at: "matters", matter: matter.number, ...(n ? { tab: tabs[n]!.name.toLowerCase() } : {}) }, true);
  const [title, setTitle] = useState<string | null>(null);
  const [archiving, setArchiving] = useState(false);
  const { failure, fail, clear } = useFailure();
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = (at + by + tabs.length) % tabs.length;
    setAt(next);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  }

  async function edit(body: Record<string, unknown>) {
    clear();
    try {
      await change("PATCH", `/api/matters/${q(matter.id)}`, body);
      await onChanged();
    } catch (error) {
      fail(error);
    }
  }

  return (
    <div className="scroll min-h-0 flex-1">
      <div className="mx-auto max-w-3xl px-5 pt-4 sm:px-8">
        <button type="button" onClick={() => go({ at: "matters", matter: null })} className="mb-3 flex items-center gap-1 text-sm text-accent @5xl:hidden"><Icon name="left" size={14} /> All matters</button>
        <p className="text-sm text-soft">{[matter.number, plural(matter.document_count, "document"), `since ${day(matter.created_at)}`].join(" · ")}</p>
        {title === null ? (
          <div className="flex items-start gap-2">
            <h1 className="min-w-0 text-2xl [overflow-wrap:anywhere]">{matter.title}</h1>
            {owns && <IconButton icon="pencil" size={16} label="Change the title" onClick={() => setTitle(matter.title)} />}
          </div>
        ) : (
          <form className="flex gap-2 py-1" onSubmit={(event) => {
            event.preventDefault();
            if (title.trim() && title.trim() !== matter.title) void edit({ title: title.trim() });
            setTitle(null);
          }}>
            <label htmlFor="matter-title" className="sr-only">Title</label>
            <input id="matter-title" autoFocus value={title} maxLength={500} onChange={(event) => setTitle(event.target.value)} onKeyDown={(event) => event.key === "Escape" && setTitle(null)} className="field" />
            <Button kind="primary" type="submit">Save</Button>
          </form>
        )}
        <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-48 flex-1 text-sm text-soft">{matter.role ? ROLES[matter.role] : ""}{matter.archived_at ? " It is archived: no files are added to it." : ""}</p>
          <div className="flex flex-wrap gap-2">
            <Button kind="primary" className="!min-h-9" onClick={() => onAsk(matter.id)}>Ask about this matter</Button>
            {owns && (matter.archived_at ? <Button className="!min-h-9" onClick={() => void edit({ archived: false })}>Take out of the archive</Button> : <Button className="!min-h-9" onClick={() => setArchiving(true)}>Archive</Button>)}
          </div>
        </div>
        {failure && <div className="mt-3"><Notice kind="error">{failure}</Notice></div>}
        <div ref={list} role="tablist" aria-label="About this matter" onKeyDown={onKeyDown} className="mt-2 flex flex-wrap gap-x-1 shadow-[inset_0_-1px_var(--rule)]">
          {tabs.map((tab, n) => (
            <button
              key={tab.name} type="button" role="tab" id={`tab-${n}`} aria-selected={n === at} aria-controls="tab-panel" tabIndex={n === at ? 0 : -1} onClick={() => setAt(n)}
              className={`shrink-0 border-b-2 px-3 py-2 text-sm ${n === at ? "border-accent font-medium" : "border-transparent text-soft hover:text-ink"}`}
            >
              {tab.name}
            </button>
          ))}
        </div>
        <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${at}`} className="py-4">{tabs[at]?.panel}</div>
      </div>
      {archiving && (
        <Confirm title="Archive this matter?" action="Archive" onClose={() => setArchiving(false)} onConfirm={() => void edit({ archived: true })}>
          It stays readable to its people, moves to the end of the list, and takes no more files. You can take it out again.
        </Confirm>
      )}
    </div>
  );
}
