import { useMemo, useState } from "react";
import type { Matter, User } from "../api/types";
import { ago } from "../format";
import { addressOf, go, type Route } from "../router";
import { Button, IconButton } from "../ui/Button";
import { Confirm, Rename } from "../ui/Dialog";
import { Icon, Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { useFoundConversations } from "./useFoundConversations";
import type { Thread } from "./useThreads";

interface Props {
  user: User;
  route: Route;
  threads: Thread[] | null;
  matters: Matter[] | null;
  failure: string;
  onNew: () => void;
  onRemove: (id: string) => Promise<void>;
  onRename: (id: string, title: string) => Promise<void>;
  /** Saves the conversation that is open. */
  onSave: (title: string) => void;
  onSignOut: () => void;
  onPicked: () => void;
  showWork: boolean;
  onShowWork: (show: boolean) => void;
}

export function Sidebar({ user, route, threads, matters, failure, onNew, onRemove, onRename, onSave, onSignOut, onPicked, showWork, onShowWork }: Props) {
  const [filter, setFilter] = useState("");
  const [renaming, setRenaming] = useState<Thread | null>(null);
  const [leaving, setLeaving] = useState<Thread | null>(null);
  const { excerpts, searching } = useFoundConversations(filter);
  const shown = useMemo(() => (threads ?? []).filter((t) => t.title.toLowerCase().includes(filter.trim().toLowerCase()) || excerpts.has(t.id)), [threads, filter, excerpts]);
  const groups = useMemo(() => byMatter(shown, matters), [shown, matters]);
  const visit = (to: Route) => (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
    onPicked();
  };
  return (
    <nav aria-label="Conversations" className="flex h-full flex-col bg-paper">
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-3">
        <img src="/app/mark.svg" alt="" width="26" height="26" />
        <span className="font-serif text-lg font-semibold">Orderly</span>
      </div>
      <div className="space-y-2 px-3">
        <Button kind="primary" className="w-full" onClick={onNew}><Icon name="plus" size={16} /> New question</Button>
        <a
          href={addressOf({ at: "matters", matter: null })}
          onClick={visit({ at: "matters", matter: null })}
          aria-current={route.at === "matters" ? "page" : undefined}
          className={`flex items-center gap-2.5 rounded-md px-3 py-2 text-sm hover:bg-wash ${route.at === "matters" ? "bg-wash font-medium" : ""}`}
        >
          <Icon name="folder" size={17} className="text-soft" /> Matters
        </a>
        {user.is_admin && (
          <a
            href={addressOf({ at: "tools" })}
            onClick={visit({ at: "tools" })}
            aria-current={route.at === "tools" ? "page" : undefined}
            className={`flex items-center gap-2.5 rounded-md px-3 py-2 text-sm hover:bg-wash ${route.at === "tools" ? "bg-wash font-medium" : ""}`}
          >
            <Icon name="lock" size={17} className="text-soft" /> Tools
          </a>
        )}
      </div>
      <div className="mt-3 border-t border-rule px-3 pt-3">
        <label className="relative block">
          <span className="sr-only">Search your conversations</span>
          <Icon name="search" size={15} className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-soft" />
          <input type="search" value={filter} onChange={(event) => setFilter(event.target.value)} placeholder="Search" className="field py-1.5 pl-8 text-sm" />
        </label>
      </div>
      <div className="scroll mt-2 min-h-0 flex-1 px-2 pb-3">
        {failure && <div className="p-2"><Notice kind="error">{failure}</Notice></div>}
        {!threads && !failure && <p className="flex items-center gap-2 p-3 text-sm text-soft"><Spinner /> Loading …</p>}
        {threads?.length === 0 && <Empty icon="list" title="No conversations yet">Ask a first question. You find it here again, with its sources.</Empty>}
        {threads && threads.length > 0 && shown.length === 0 && (searching ? <p className="flex items-center gap-2 p-3 text-sm text-soft"><Spinner /> Searching …</p> : <p className="p-3 text-sm text-soft">No conversation has “{filter}” in its title, its questions or its answers.</p>)}
        {groups.map((group) => (
        <section key={group.matter} aria-label={group.name || "Conversations"}>
        {groups.length > 1 && <p className="eyebrow truncate px-3 pt-3 pb-1" title={group.name}>{group.name || "No matter"}</p>}
        <ul>
          {group.threads.map((thread) => {
            const here = route.at === "chat" && route.thread === thread.id;
            const to: Route = { at: "chat", thread: thread.id };
            return (
              <li key={thread.id} className={`group relative flex items-center rounded-md ${here ? "bg-wash" : "hover:bg-wash"}`}>
                <a href={addressOf(to)} onClick={visit(to)} aria-current={here ? "page" : undefined} className="min-w-0 flex-1 rounded-md px-3 py-2">
                  <span className={`block truncate text-sm pointer-coarse:pr-7 ${here ? "font-medium" : ""}`}>{thread.title}</span>
                  <span className="flex items-center gap-1.5 text-xs text-soft">
                    {thread.busy && <><Spinner size={11} /> answering</>}
                    {thread.asks && <><Icon name="info" size={12} /> asks you</>}
                    {!thread.busy && !thread.asks && ago(thread.updated)}
                  </span>
                  {excerpts.has(thread.id) && <span className="line-clamp-2 text-xs text-soft [overflow-wrap:anywhere]" data-testid="excerpt">{excerpts.get(thread.id)}</span>}
                </a>
                <span className="absolute right-1 flex bg-wash opacity-0 group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-70">
                  {here && <IconButton icon="download" size={15} label={`Save “${thread.title}” as a file`} onClick={() => onSave(thread.title)} className="pointer-coarse:hidden" />}
                  <IconButton icon="pencil" size={15} label={`Rename “${thread.title}”`} onClick={() => setRenaming(thread)} className="pointer-coarse:hidden" />
                  <IconButton icon="trash" size={15} label={`Delete “${thread.title}”`} onClick={() => setLeaving(thread)} />
                </span>
              </li>
            );
          })}
        </ul>
        </section>
        ))}
      </div>
      <div className="space-y-1 border-t border-rule px-3 py-3 text-sm">
        <label className="flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 hover:bg-wash">
          <input type="checkbox" checked={showWork} onChange={(event) => onShowWork(event.target.checked)} className="size-4 accent-[var(--accent)]" />
          Show agents’ work
        </label>
        <div className="flex items-center gap-2 px-2">
          <span className="min-w-0 flex-1">
            <span className="block truncate" title={user.email}>{user.display_name || user.email}</span>
            <span className="block truncate text-xs text-soft">{user.tenant_name}</span>
          </span>
          <IconButton icon="out" label="Sign out" onClick={onSignOut} />
        </div>
      </div>
      {renaming && <Rename title="Rename this conversation" name={renaming.title} onClose={() => setRenaming(null)} onSave={(title) => void onRename(renaming.id, title)} />}
      {leaving && (
        <Confirm title="Delete this conversation?" action="Delete" onClose={() => setLeaving(null)} onConfirm={() => {
          const id = leaving.id;
          if (route.at === "chat" && route.thread === id) onNew();
          void onRemove(id);
        }}>
          “{leaving.title}” and its answers are removed for good, and so are the files of the conversation. Documents of matters stay.
        </Confirm>
      )}
    </nav>
  );
}

/** Conversations by matter; the matter of the latest conversation is first. */
function byMatter(threads: readonly Thread[], matters: readonly Matter[] | null): { matter: string; name: string; threads: Thread[] }[] {
  const known = new Map((matters ?? []).map((matter) => [matter.id, matter]));
  const groups = new Map<string, Thread[]>();
  for (const thread of threads) {
    const matter = thread.matter && known.has(thread.matter) ? thread.matter : "";
    groups.set(matter, [...(groups.get(matter) ?? []), thread]);
  }
  return [...groups].map(([matter, grouped]) => ({ matter, name: known.get(matter)?.title ?? "", threads: grouped }));
}
