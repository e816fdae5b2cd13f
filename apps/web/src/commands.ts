import type { Matter } from "./api/types";
import type { Command } from "./Palette";
import { go } from "./router";
import type { Thread } from "./threads/useThreads";

/** What the palette (Ctrl-K) goes to and does. */
export function commandsOf({ isAdmin, showWork, matters, threads, onNew, onDocuments, onMatter, onShowWork, onSignOut }: {
  isAdmin: boolean; showWork: boolean; matters: readonly Matter[]; threads: readonly Thread[];
  onNew: () => void; onDocuments: () => void; onMatter: (id: string) => void; onShowWork: (show: boolean) => void; onSignOut: () => void;
}): Command[] {
  return [
    { name: "New question", icon: "plus", run: onNew },
    { name: "Documents", icon: "file", run: onDocuments },
    { name: "Matters", icon: "folder", run: () => go({ at: "matters", matter: null }) },
    ...(isAdmin ? [{ name: "Tools", hint: "What the firm grants its agents and programs", icon: "lock", run: () => go({ at: "tools" }) } satisfies Command] : []),
    { name: showWork ? "Hide the agents’ work" : "Show the agents’ work", icon: "list", run: () => onShowWork(!showWork) },
    ...matters.map((m): Command => ({ name: `${m.number} · ${m.title}`, hint: "Ask about this matter", icon: "folder", run: () => onMatter(m.id) })),
    ...threads.map((t): Command => ({ name: t.title, hint: "Conversation", icon: "text", run: () => go({ at: "chat", thread: t.id }) })),
    { name: "Sign out", icon: "out", run: onSignOut },
  ];
}
