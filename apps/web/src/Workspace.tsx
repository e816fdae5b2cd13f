import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { aboutChat, get } from "./api/http";
import { createThread, getThread, updateThread } from "./api/langgraph";
import { type Citation, type Document, type Installation, PENDING, type User } from "./api/types";
import { Chat } from "./chat/Chat";
import type { ComposerHandle } from "./chat/Composer";
import { DocumentsPanel } from "./documents/DocumentsPanel";
import { type Scope, useDocuments } from "./documents/useDocuments";
import { useFiling } from "./documents/useFiling";
import { useFolders } from "./documents/useFolders";
import { useUploads } from "./documents/useUploads";
import { ToolGrants } from "./firm/ToolGrants";
import { MattersPage } from "./matters/MattersPage";
import { Palette, type Command } from "./Palette";
import { ReviewPage } from "./reviews/ReviewPage";
import { listen } from "./live/tabs";
import { useReachable } from "./live/useReachable";
import { closeSource, go, showSource, useRoute, useSource } from "./router";
import { Sidebar } from "./threads/Sidebar";
import { useThreads } from "./threads/useThreads";
import { Button, IconButton } from "./ui/Button";
import { Drawer } from "./ui/Dialog";
import { Icon } from "./ui/Icon";
import { Notice } from "./ui/Notice";
import { useStoredState } from "./useStoredState";
import { useMatters } from "./useMatters";
import { useWide } from "./useWide";
import { useEndNotice } from "./useEndNotice";
import { SourceViewer } from "./viewer/SourceViewer";

const SOON_MS = 50;
const OUTAGE = "The connection to the server is lost. Answers go on there. When the connection is back they appear here, and what you asked meanwhile is sent.";

/** Layout with three areas: conversations and matters; the conversation; its documents or one source. */
export function Workspace({ user, onSignOut }: { user: User; onSignOut: () => void }) {
  const route = useRoute();
  const { threads, failure, reload: reloadThreads, remove } = useThreads();
  const { matters, failure: mattersFailure, reload: reloadMatters } = useMatters();
  const [installation, setInstallation] = useState<Installation | null>(null);
  const [lastMatter, keepMatter] = useStoredState<string | null>(`matter.${user.user_id}`, null);
  const [matter, setMatter] = useState<string | null>(lastMatter);
  const [showWork, setShowWork] = useStoredState<boolean>("work", true);
  const shown = useSource();
  const cited = useRef(new Map<string, Citation>());
  const [drawer, setDrawer] = useState<"left" | "right" | null>(null);
  const [palette, setPalette] = useState(false);
  const composer = useRef<ComposerHandle>(null);
  const wide = useWide(1100);
  const roomy = useWide(820);
  const reachable = useReachable();

  useEffect(() => void get<Installation>("/api/installation").then(setInstallation, () => undefined), []);

  // A new conversation keeps its view when it gets a URL; any other URL opens another conversation.
  const thread = route.at === "chat" ? route.thread : null;
  const [chat, setChat] = useState({ key: 0, thread, made: false });
  const [missing, setMissing] = useState<string | null>(null);
  const [about, setAbout] = useState<string | null>(null);
  const [created, setCreated] = useState<string | null>(null);
  const here = useRef(thread);
  aboutChat(chat.thread);
  useEffect(() => {
    if (route.at !== "chat" || route.thread === here.current) return;
    here.current = route.thread;
    setChat((now) => ({ key: now.key + 1, thread: route.thread, made: false }));
  }, [route]);

  // The thread's metadata holds its matter; a new conversation starts with the last matter.
  useEffect(() => {
    const { thread, made } = chat;
    if (!thread || made) return;
    let current = true;
    getThread(thread).then((found) => {
      const about = found.metadata;
      if (current && about && "matter_id" in about) setMatter(about.matter_id ?? null);
      if (current) setChosen(about?.document_ids ?? null);
    }, (error: { status?: number }) => {
      if (current && (error.status === 404 || error.status === 403 || error.status === 422)) setMissing(thread);
    }).finally(() => current && setAbout(thread));
    return () => { current = false; };
  }, [chat]);
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const known = useMemo(() => (matters && matter && !matters.some((m) => m.id === matter) ? null : matter), [matters, matter]);

  // Words of a matter vanish with the access to it, also from pages that are open.
  const closed = chat.thread !== null && matter !== null && matters !== null && known === null;
  useEffect(() => {
    if (closed) closeSource();
  }, [closed]);

  const pickMatter = useCallback((id: string | null) => {
    setMatter(id);
    setChosen(null);
    keepMatter(id);
    if (here.current) void updateThread(here.current, { matter_id: id, document_ids: null }).catch(() => undefined);
  }, [keepMatter]);

  // A new conversation has a URL before it exists on the server.
  const viewed = route.at === "matters" || route.at === "review" ? matters?.find((m) => m.id === route.matter || m.number === route.matter) : undefined;
  const scope = useMemo<Scope | null>(() => (viewed ? { kind: "matter", id: viewed.id } : known ? { kind: "matter", id: known } : here.current && (!chat.made || created === here.current) ? { kind: "chat", id: here.current } : null), [viewed?.id, known, chat, thread, created]);
  // Where access to what is shown ends, its source closes at once; its names go with the list of documents.
  const watched = scope && `${scope.kind}s:${scope.id}`;
  useEffect(() => listen((message) => message.kind === "documents" && message.scope === watched && message.event.type === "end" && closeSource()), [watched]);
  const undecided = !matters || (chat.thread !== null && !chat.made && about !== chat.thread);
  const documents = useDocuments(undecided ? null : scope, undecided);
  const arrived = useCallback(() => {
    void documents.reload();
    void reloadMatters();
  }, [documents.reload, reloadMatters]);
  const sent = useUploads(arrived);
  useEndNotice((documents.list ?? []).some((document) => PENDING.has(document.status)), "All documents are read");
  const folders = useFolders(scope, documents.list);
  const pickDocuments = useCallback((ids: string[] | null) => {
    setChosen(ids);
    if (here.current) void updateThread(here.current, { document_ids: ids }).catch(() => undefined);
  }, []);
  const documentScope = useMemo(() => {
    const list = documents.list ?? [];
    const there = new Set(list.map((document) => document.id));
    const kept = chosen?.filter((id) => there.has(id)) ?? null;
    return { documents: list, paths: folders.paths, chosen: kept?.length ? kept : null, onChosen: pickDocuments };
  }, [documents.list, folders.paths, chosen, pickDocuments]);

  const onThread = useCallback((id: string) => {
    if (here.current === id) return;
    here.current = id;
    setChat((now) => ({ ...now, thread: id, made: true }));
    setCreated(id);
    go({ at: "chat", thread: id }, true);
  }, []);
  /** The conversation that receives files if no matter is chosen; created if there is none. */
  const conversation = useCallback(async () => {
    if (here.current) return here.current;
    const made = await createThread({ title: "Files of a new conversation", matter_id: null });
    onThread(made.thread_id);
    void reloadThreads();
    return made.thread_id;
  }, [onThread, reloadThreads]);

  const filing = useFiling(scope, sent, conversation, installation, folders.reload);

  const fresh = useCallback(() => {
    setDrawer(null);
    setMatter(lastMatter);
    setChosen(null);
    if (location.pathname === "/app") {
      here.current = null;
      setChat((now) => ({ key: now.key + 1, thread: null, made: false }));
    } else go({ at: "chat", thread: null });
    composer.current?.focus();
  }, [lastMatter]);

  const cite = useCallback((citation: Citation) => {
    cited.current.set(citation.citation_id, citation);
    showSource({ document: citation.document_id, page: citation.paged ? citation.page_first : null, citation: citation.citation_id });
  }, []);
  const preview = useCallback((document: Document) => {
    showSource({ document: document.id, page: null, citation: null });
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setPalette((open) => !open);
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  const visible = matters && threads ? threads.filter((t) => !t.matter || matters.some((m) => m.id === t.matter)) : threads;
  const commands: Command[] = [
    { name: "New question", icon: "plus", run: fresh },
    { name: "Documents", icon: "file", run: () => { closeSource(); setDrawer("right"); } },
    { name: "Matters", icon: "folder", run: () => go({ at: "matters", matter: null }) },
    ...(user.is_admin ? [{ name: "Tools", hint: "What the firm grants its agents and programs", icon: "lock", run: () => go({ at: "tools" }) } satisfies Command] : []),
    { name: showWork ? "Hide the agents’ work" : "Show the agents’ work", icon: "list", run: () => setShowWork(!showWork) },
    ...(matters ?? []).map((m): Command => ({ name: `${m.number} · ${m.title}`, hint: "Ask about this matter", icon: "folder", run: () => { pickMatter(m.id); if (route.at !== "chat") go({ at: "chat", thread: null }); } })),
    ...(visible ?? []).map((t): Command => ({ name: t.title, hint: "Conversation", icon: "text", run: () => go({ at: "chat", thread: t.id }) })),
    { name: "Sign out", icon: "out", run: onSignOut },
  ];

  const current = viewed ?? matters?.find((m) => m.id === known);
  const sidebar = (
    <Sidebar user={user} route={route} threads={visible} matters={matters} failure={failure} onNew={fresh} onRemove={remove} onSignOut={onSignOut}
      onPicked={() => setDrawer(null)} showWork={showWork} onShowWork={setShowWork} />
  );
  const documentsPanel = (
    <DocumentsPanel scope={scope} matter={current} documents={documents} sent={sent} filing={filing} paths={folders.paths} onPreview={preview} onFound={(document, page) => showSource({ document, page, citation: null })} onClose={wide || viewed ? undefined : () => setDrawer(null)} />
  );
  const panel = shown ? (
    <SourceViewer key={`${shown.document} ${shown.citation}`} source={shown} known={cited.current.get(shown.citation ?? "")} onClose={closeSource} />
  ) : documentsPanel;
  const columns = !wide ? (roomy ? "grid-cols-[15.5rem_minmax(0,1fr)]" : "grid-cols-[minmax(0,1fr)]")
    : shown && (route.at === "chat" || route.at === "review" || viewed) ? "grid-cols-[14rem_minmax(0,1fr)_minmax(30rem,44%)]" : route.at === "chat" ? "grid-cols-[15.5rem_minmax(0,1fr)_22rem]" : "grid-cols-[15.5rem_minmax(0,1fr)]";

  return (
    <div className={`grid h-dvh grid-rows-[minmax(0,1fr)] print:block print:h-auto ${columns}`}>
      <a href="#main" data-noprint className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-sheet focus:px-3 focus:py-2">Skip to the conversation</a>
      {roomy && <div data-noprint className="min-w-0 border-r border-rule">{sidebar}</div>}
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col focus:outline-none print:block">
        {!wide && (
          <header data-noprint className="flex h-13 shrink-0 items-center gap-1 border-b border-rule px-2">
            {!roomy && <IconButton icon="menu" label="Conversations" onClick={() => setDrawer("left")} />}
            <p className="min-w-0 flex-1 truncate px-2 text-sm font-medium">{route.at === "matters" ? "Matters" : route.at === "review" ? "Review" : route.at === "tools" ? "Tools" : current ? `${current.number} · ${current.title}` : "Orderly"}</p>
            {route.at === "chat" && (
              <button type="button" onClick={() => setDrawer("right")} className="flex h-9 items-center gap-2 rounded-md px-2.5 text-sm hover:bg-wash">
                Documents <Badge count={documents.list?.length ?? null} />
              </button>
            )}
          </header>
        )}
        <div role="status" data-noprint>
          {!reachable && <p className="flex items-center gap-2.5 border-b border-warn/40 bg-warn-wash px-4 py-2 text-sm text-warn" data-testid="outage"><Icon name="warning" size={17} /> {OUTAGE}</p>}
        </div>
        {route.at === "tools" ? (
          user.is_admin ? <ToolGrants /> : <div className="m-auto max-w-md px-5"><Notice kind="note">Administrators of the firm decide here which tools its agents and programs have.</Notice></div>
        ) : route.at === "review" ? (
          matters && !viewed ? <div className="m-auto max-w-md px-5"><Notice kind="note">This matter is not there, or you may not see it.</Notice></div>
          : viewed && <ReviewPage key={route.review} matter={viewed} id={route.review} onCite={cite} />
        ) : route.at === "matters" ? (
          <MattersPage user={user} matters={matters} failure={mattersFailure} selected={route.matter} onChanged={reloadMatters} documents={viewed ? documents.list : null} paths={folders.paths} panel={documentsPanel}
            onAsk={(id, question) => { pickMatter(id); go({ at: "chat", thread: null }); if (question) setTimeout(() => composer.current?.put(question), SOON_MS); }} />
        ) : missing && missing === chat.thread ? (
          <div className="mx-auto grid w-full max-w-md flex-1 content-center gap-4 px-5">
            <Notice kind="note"><p className="font-medium text-ink">This conversation is not there.</p><p>It was removed, or it is not yours to see.</p></Notice>
            <Button kind="primary" onClick={fresh}>New question</Button>
          </div>
        ) : closed ? (
          <div className="mx-auto grid w-full max-w-md flex-1 content-center gap-4 px-5">
            <Notice kind="note"><p className="font-medium text-ink">This conversation is closed to you.</p><p>It is about a matter that you may not see. Ask an owner of the matter.</p></Notice>
            <Button kind="primary" onClick={fresh}>New question</Button>
          </div>
        ) : (
          <Chat
            key={chat.key}
            user={user.user_id}
            threadId={chat.thread}
            matters={(matters ?? []).filter((m) => !m.archived_at || m.id === known)}
            matter={known}
            onMatter={pickMatter}
            onThread={onThread}
            onSettled={reloadThreads}
            onCite={cite}
            composer={composer}
            showWork={showWork}
            installation={installation}
            scope={documentScope}
            onFiles={(files) => void filing.take(files)}
          />
        )}
      </main>
      {wide && (route.at === "chat" || (shown && (viewed || route.at === "review"))) && <aside data-noprint aria-label={shown ? "Source" : "Documents"} className="min-h-0 min-w-0 border-l border-rule">{panel}</aside>}
      {drawer === "left" && !roomy && <Drawer side="left" label="Conversations" onClose={() => setDrawer(null)}>{sidebar}</Drawer>}
      {!wide && shown && <Drawer side="right" label="Source" onClose={closeSource}>{panel}</Drawer>}
      {!wide && !shown && drawer === "right" && <Drawer side="right" label="Documents" onClose={() => setDrawer(null)}>{panel}</Drawer>}
      {palette && <Palette commands={commands} onClose={() => setPalette(false)} />}
    </div>
  );
}

export function Badge({ count }: { count: number | null }) {
  if (count === null) return null;
  return <span data-testid="badge" className="inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-wash px-1.5 text-xs font-semibold text-accent tabular-nums">{count}</span>;
}
