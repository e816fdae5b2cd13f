import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { get } from "./api/http";
import { createThread } from "./api/langgraph";
import { type Citation, type Document, type Installation, PENDING, type User } from "./api/types";
import { Chat } from "./chat/Chat";
import type { ComposerHandle } from "./chat/Composer";
import { useOpenChat } from "./chat/useOpenChat";
import { DocumentsPanel } from "./documents/DocumentsPanel";
import { type Scope, useDocuments } from "./documents/useDocuments";
import { useFiling } from "./documents/useFiling";
import { useFolders } from "./documents/useFolders";
import { useUploads } from "./documents/useUploads";
import { ToolGrants } from "./firm/ToolGrants";
import { MattersPage } from "./matters/MattersPage";
import { commandsOf } from "./commands";
import { Palette } from "./Palette";
import { Frame } from "./panes/Frame";
import { type Beside, usePanes } from "./panes/usePanes";
import { useAllReviews } from "./reviews/useAllReviews";
import { ReviewPage } from "./reviews/ReviewPage";
import { listen } from "./live/tabs";
import { useReachable } from "./live/useReachable";
import { closeSource, go, showSource, useRoute, useSource } from "./router";
import { Sidebar } from "./threads/Sidebar";
import { useThreads } from "./threads/useThreads";
import { Button, IconButton } from "./ui/Button";
import { Icon } from "./ui/Icon";
import { Notice } from "./ui/Notice";
import { useStoredState } from "./useStoredState";
import { useMatters } from "./useMatters";
import { useEndNotice } from "./useEndNotice";
import { SourceViewer } from "./viewer/SourceViewer";

const SOON_MS = 50;
const OUTAGE = "The connection to the server is lost. Answers go on there. When the connection is back they appear here, and what you asked meanwhile is sent.";

/** The width that what is worked on needs. */
const NEEDED = { chat: 420, matters: 440, review: 640, tools: 420 };

/** Layout with three areas: conversations and matters; the conversation; its documents or one source. */
export function Workspace({ user, onSignOut }: { user: User; onSignOut: () => void }) {
  const route = useRoute();
  const { threads, failure, reload: reloadThreads, remove, rename } = useThreads();
  const { matters, failure: mattersFailure, reload: reloadMatters } = useMatters();
  const [installation, setInstallation] = useState<Installation | null>(null);
  const [showWork, setShowWork] = useStoredState<boolean>("work", true);
  const shown = useSource();
  const cited = useRef(new Map<string, Citation>());
  const [drawer, setDrawer] = useState<"left" | "right" | null>(null);
  const [palette, setPalette] = useState(false);
  const composer = useRef<ComposerHandle>(null);
  const saving = useRef<((title: string) => void) | null>(null);
  const reachable = useReachable();

  useEffect(() => void get<Installation>("/api/installation").then(setInstallation, () => undefined), []);

  const { chat, here, matter: known, chosen, missing, closed, undecided, created, pickMatter, pickDocuments, onThread, begin } = useOpenChat(user.user_id, route, matters);
  const fresh = useCallback(() => {
    setDrawer(null);
    begin();
    composer.current?.focus();
  }, [begin]);

  // A new conversation has a URL before it exists on the server.
  const viewed = route.at === "matters" || route.at === "review" ? matters?.find((m) => m.id === route.matter || m.number === route.matter) : undefined;
  const scope = useMemo<Scope | null>(() => (viewed ? { kind: "matter", id: viewed.id } : known ? { kind: "matter", id: known } : here.current && (!chat.made || created) ? { kind: "chat", id: here.current } : null), [viewed?.id, known, chat, route, created]);
  // Where access to what is shown ends, its source closes at once; its names go with the list of documents.
  const watched = scope && `${scope.kind}s:${scope.id}`;
  useEffect(() => listen((message) => message.kind === "documents" && message.scope === watched && message.event.type === "end" && closeSource()), [watched]);
  const documents = useDocuments(undecided ? null : scope, undecided);
  const arrived = useCallback(() => {
    void documents.reload();
    void reloadMatters();
  }, [documents.reload, reloadMatters]);
  const sent = useUploads(arrived);
  useEndNotice((documents.list ?? []).some((document) => PENDING.has(document.status)), "All documents are read");
  const folders = useFolders(scope, documents.list);
  const documentScope = useMemo(() => {
    const list = documents.list ?? [];
    const there = new Set(list.map((document) => document.id));
    const kept = chosen?.filter((id) => there.has(id)) ?? null;
    return { documents: list, paths: folders.paths, chosen: kept?.length ? kept : null, onChosen: pickDocuments };
  }, [documents.list, folders.paths, chosen, pickDocuments]);

  /** The conversation that receives files if no matter is chosen; created if there is none. */
  const conversation = useCallback(async () => {
    if (here.current) return here.current;
    const made = await createThread({ title: "Files of a new conversation", matter_id: null });
    onThread(made.thread_id);
    void reloadThreads();
    return made.thread_id;
  }, [onThread, reloadThreads]);

  const filing = useFiling(scope, sent, conversation, installation);

  const cite = useCallback((citation: Citation) => {
    cited.current.set(citation.citation_id, citation);
    showSource({ document: citation.document_id, page: citation.paged ? citation.page_first : null, citation: citation.citation_id, words: null });
  }, []);
  const preview = useCallback((document: Document) => {
    showSource({ document: document.id, page: null, citation: null, words: null });
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
  const reviews = useAllReviews(matters, palette);
  const commands = commandsOf({
    isAdmin: user.is_admin, showWork, matters: matters ?? [], threads: visible ?? [], documents: documents.list ?? [], reviews, onNew: fresh, onSignOut, onShowWork: setShowWork,
    onDocuments: () => { closeSource(); setDrawer("right"); },
    onMatter: (id) => { pickMatter(id); if (route.at !== "chat") go({ at: "chat", thread: null }); },
  });

  const current = viewed ?? matters?.find((m) => m.id === known);
  const beside: Beside | null = shown && (route.at === "chat" || route.at === "review" || viewed) ? "source" : route.at === "chat" ? "documents" : null;
  const panes = usePanes(NEEDED[route.at], beside);
  const sidebar = (
    <Sidebar user={user} route={route} threads={visible} matters={matters} failure={failure} onNew={fresh} onRemove={remove} onRename={rename} onSave={(title) => saving.current?.(title)} onSignOut={onSignOut}
      onPicked={() => setDrawer(null)} showWork={showWork} onShowWork={setShowWork} />
  );
  const documentsPanel = (
    <DocumentsPanel scope={scope} matter={current} documents={documents} sent={sent} filing={filing} paths={folders.paths} onPreview={preview} onFound={(document, page, words) => showSource({ document, page, citation: null, words })} bare={Boolean(viewed) && drawer !== "right"} onClose={panes.hasRight || (viewed && drawer !== "right") ? undefined : () => setDrawer(null)} />
  );
  const right = beside === "source" ? { label: "Source", panel: <SourceViewer key={`${shown!.document} ${shown!.citation} ${shown!.words}`} source={shown!} known={cited.current.get(shown!.citation ?? "")} onClose={closeSource} /> }
    : beside === "documents" || drawer === "right" ? { label: "Documents", panel: documentsPanel } : null;
  const place = { matters: "Matters", review: "Review", tools: "Tools", chat: current ? `${current.number} · ${current.title}` : "Orderly" }[route.at];

  return (
    <>
    <Frame panes={panes} left={sidebar} right={right} open={{ left: drawer === "left", right: beside === "source" || drawer === "right" }} onLeftClosed={() => setDrawer(null)} onRightClosed={beside === "source" ? closeSource : () => setDrawer(null)}>
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col focus:outline-none print:block">
        {(!panes.hasLeft || (beside && !panes.hasRight)) && (
          <header data-noprint className="flex h-13 shrink-0 items-center gap-1 border-b border-rule px-2 short:h-10">
            {!panes.hasLeft && <IconButton icon="menu" label="Conversations" onClick={() => setDrawer("left")} />}
            <p className="min-w-0 flex-1 truncate px-2 text-sm font-medium">{place}</p>
            {route.at === "chat" && !panes.hasRight && (
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
          <MattersPage user={user} matters={matters} failure={mattersFailure} selected={route.matter} tab={route.tab} onChanged={reloadMatters} documents={viewed ? documents.list : null} paths={folders.paths} panel={documentsPanel}
            onAsk={(id, question) => { pickMatter(id); go({ at: "chat", thread: null }); if (question) setTimeout(() => composer.current?.put(question), SOON_MS); }} />
        ) : missing ? (
          <NotHere title="This conversation is not there." onNew={fresh}>It was removed, or it is not yours to see.</NotHere>
        ) : closed ? (
          <NotHere title="This conversation is closed to you." onNew={fresh}>It is about a matter that you may not see. Ask an owner of the matter.</NotHere>
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
            saving={saving}
          />
        )}
      </main>
    </Frame>
    {palette && <Palette commands={commands} onClose={() => setPalette(false)} />}
    </>
  );
}

function NotHere({ title, onNew, children }: { title: string; onNew: () => void; children: string }) {
  return (
    <div className="mx-auto grid w-full max-w-md flex-1 content-center gap-4 px-5">
      <Notice kind="note"><p className="font-medium text-ink">{title}</p><p>{children}</p></Notice>
      <Button kind="primary" onClick={onNew}>New question</Button>
    </div>
  );
}

export function Badge({ count }: { count: number | null }) {
  if (count === null) return null;
  return <span data-testid="badge" className="inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-wash px-1.5 text-xs font-semibold text-accent tabular-nums">{count}</span>;
}
