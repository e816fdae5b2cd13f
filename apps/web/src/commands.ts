import type { Document, Matter } from "./api/types";
import type { Command } from "./Palette";
import { shortName } from "./names";
import type { Review } from "./reviews/types";
import { go, showSource } from "./router";
import type { Thread } from "./threads/useThreads";

/** What the palette (Ctrl-K) goes to and does. */
export function commandsOf({ isAdmin, showWork, matters, threads, documents, reviews, onNew, onDocuments, onMatter, onShowWork, onSignOut }: {
  isAdmin: boolean; showWork: boolean; matters: readonly Matter[]; threads: readonly Thread[];
  /** Of the matter or conversation that is open. */
  documents: readonly Document[];
  reviews: readonly Review[];
  onNew: () => void; onDocuments: () => void; onMatter: (id: string) => void; onShowWork: (show: boolean) => void; onSignOut: () => void;
}): Command[] {
  const numbers = new Map(matters.map((matter) => [matter.id, matter.number]));
  return [
    { name: "New question", icon: "plus", run: onNew },
    { name: "Documents", icon: "file", run: onDocuments },
    { name: "Matters", icon: "folder", run: () => go({ at: "matters", matter: null }) },
    ...(isAdmin ? [{ name: "Tools", hint: "What the firm grants its agents and programs", icon: "lock", run: () => go({ at: "tools" }) } satisfies Command] : []),
    { name: showWork ? "Hide the agents’ work" : "Show the agents’ work", icon: "list", run: () => onShowWork(!showWork) },
    ...matters.map((m): Command => ({ name: `${m.number} · ${m.title}`, hint: "Ask about this matter", icon: "folder", run: () => onMatter(m.id) })),
    ...reviews.map((review): Command => ({ name: review.name, hint: `Review in ${numbers.get(review.matter_id) ?? "a matter"}`, icon: "list", run: () => go({ at: "review", matter: review.matter_id, review: review.id }) })),
    ...documents.filter((document) => document.has_revision).map((document): Command => ({ name: shortName(document.filename), hint: "Document", also: document.filename, icon: "file", run: () => showSource({ document: document.id, page: null, citation: null, words: null }) })),
    ...threads.map((t): Command => ({ name: t.title, hint: "Conversation", icon: "text", run: () => go({ at: "chat", thread: t.id }) })),
    { name: "Sign out", icon: "out", run: onSignOut },
  ];
}
