import { type FormEvent, type ReactNode, useId, useMemo, useState } from "react";
import { change, errorMessage } from "../api/http";
import type { Document, Matter, User } from "../api/types";
import { day, plural } from "../format";
import { addressOf, go } from "../router";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Icon, Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { MatterDetail } from "./MatterDetail";

interface Props {
  user: User;
  matters: Matter[] | null;
  failure: string;
  selected: string | null;
  tab: string | undefined;
  onChanged: () => Promise<void>;
  /** Asks about the matter; with a question, puts it into the composer. */
  onAsk: (id: string, question?: string) => void;
  /** The documents of the selected matter, and the panel that shows them. */
  documents: Document[] | null;
  paths: ReadonlyMap<string, string>;
  panel: ReactNode;
}

export function MattersPage({ user, matters, failure, selected, tab, onChanged, onAsk, documents, paths, panel }: Props) {
  const [filter, setFilter] = useState("");
  const [creating, setCreating] = useState(false);
  const words = filter.trim().toLowerCase();
  const shown = useMemo(() => (matters ?? []).filter((m) => `${m.number} ${m.title}`.toLowerCase().includes(words)), [matters, words]);
  const matter = matters?.find((m) => m.id === selected || m.number === selected);
  return (
    <div className="@container flex min-h-0 flex-1">
      <section aria-label="Your matters" className={`min-h-0 w-full flex-col border-rule @5xl:flex @5xl:w-80 @5xl:shrink-0 @5xl:border-r ${selected ? "hidden" : "flex"}`}>
        <div className="flex items-center gap-2 px-5 pt-5 pb-3">
          <h1 className="flex-1 text-2xl">Matters</h1>
          <Button onClick={() => setCreating(true)}><Icon name="plus" size={16} /> New matter</Button>
        </div>
        <div className="px-5 pb-3">
          <label className="relative block">
            <span className="sr-only">Filter your matters</span>
            <Icon name="search" size={15} className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-soft" />
            <input type="search" value={filter} onChange={(event) => setFilter(event.target.value)} placeholder="Filter by number or title" className="field py-1.5 pl-8 text-sm" />
          </label>
        </div>
        <div className="scroll min-h-0 flex-1 border-t border-rule">
          {failure && <div className="p-4"><Notice kind="error">{failure}</Notice></div>}
          {!matters && !failure && <p className="flex items-center gap-2 p-5 text-sm text-soft"><Spinner /> Loading …</p>}
          {matters?.length === 0 && <Empty icon="folder" title="No matters yet">A matter holds the documents of one case or deal, and the people who may see them. Make the first one.</Empty>}
          {matters && matters.length > 0 && shown.length === 0 && <p className="p-5 text-sm text-soft">No matter is called “{filter}”.</p>}
          <ul>
            {shown.map((m) => (
              <li key={m.id} className="border-b border-rule">
                <a
                  href={addressOf({ at: "matters", matter: m.number })}
                  aria-current={m === matter ? "page" : undefined}
                  onClick={(event) => {
                    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                    event.preventDefault();
                    go({ at: "matters", matter: m.number });
                  }}
                  className={`block px-5 py-3 hover:bg-wash ${m === matter ? "bg-wash" : ""}`}
                >
                  <span className="line-clamp-2 font-medium [overflow-wrap:anywhere]" title={m.title}>{m.title}</span>
                  <span className="block truncate text-sm text-soft">
                    {[m.number, plural(m.document_count, "document"), m.role ?? "", m.archived_at ? `archived ${day(m.archived_at)}` : ""].filter(Boolean).join(" · ")}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      </section>
      <section aria-label="Matter" className={`min-h-0 min-w-0 flex-1 flex-col ${selected ? "flex" : "hidden @5xl:flex"}`}>
        {matter ? (
          <MatterDetail key={matter.id} matter={matter} tab={tab} user={user} documents={documents} paths={paths} panel={panel} onChanged={onChanged} onAsk={onAsk} />
        ) : (
          <div className="grid flex-1 place-items-center">
            {selected && matters ? <Empty icon="folder" title="This matter is not there">It does not exist, or it is not yours to see.</Empty>
              : <Empty icon="folder" title="Choose a matter">You see what it holds, its documents, its people and its reviews.</Empty>}
          </div>
        )}
      </section>
      {creating && <NewMatter onClose={() => setCreating(false)} onMade={async (made) => {
        setCreating(false);
        await onChanged();
        go({ at: "matters", matter: made.number });
      }} />}
    </div>
  );
}

function NewMatter({ onClose, onMade }: { onClose: () => void; onMade: (matter: Matter) => Promise<void> }) {
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const id = useId();
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await onMade(await change<Matter>("POST", "/api/matters", { title: given.get("title"), number: given.get("number") || null }));
    } catch (error) {
      setFailure(errorMessage(error));
      setBusy(false);
    }
  }
  return (
    <Dialog title="New matter" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="space-y-4">
        {failure && <Notice kind="error">{failure}</Notice>}
        <div>
          <label htmlFor={`${id}-title`} className="mb-1 block text-sm font-medium">Title</label>
          <input id={`${id}-title`} name="title" required maxLength={500} autoFocus placeholder="Smith v Jones" className="field" />
        </div>
        <div>
          <label htmlFor={`${id}-number`} className="mb-1 block text-sm font-medium">Number</label>
          <input id={`${id}-number`} name="number" maxLength={100} placeholder="The next of the firm" className="field" />
        </div>
        <p className="text-sm text-soft">You own it: you decide who else may see it.</p>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={busy}>{busy && <Spinner size={14} />} Create</Button>
        </div>
      </form>
    </Dialog>
  );
}
