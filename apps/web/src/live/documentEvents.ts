import { inScopes } from "./address";
import { onReachability } from "./reachability";
import { type DocumentEvent, listen, onPageShown, tell } from "./tabs";

/*
 * One connection per browser for the status of documents and the cells of reviews. Each tab holds a lock named after every scope that it watches; the tab that
 * holds the lock LEADER connects for all of them and passes the events on. Locks end with their tab, however it ends.
 */
const LEADER = "orderly.leader";
const WATCH = "orderly.watch.";
const RETRY_MS = 2_000;
/** Tabs that open together are connected together. */
const TOGETHER_MS = 100;
/** Interval between two looks for scopes of tabs that were closed. */
const TIDY_MS = 20_000;

const watched = new Map<string, { count: number; release: () => void }>();
let resign: (() => void) | null = null;
let source: EventSource | null = null;
let connectedTo = "";
let isConnected = false;

/** Watches a scope ("matters:id", "chats:id", "reviews:id:changed") until the returned function is called. */
export function watch(scope: string, onEvent: (event: DocumentEvent) => void, onConnected: (connected: boolean) => void): () => void {
  const stop = listen((message) => {
    if (message.kind === "documents" && message.scope === scope) onEvent(message.event);
    if (message.kind === "connected") onConnected(message.connected);
  });
  hold(scope);
  if (isConnected && connectedTo.split(" ").includes(scope)) onConnected(true);
  return () => {
    stop();
    drop(scope);
  };
}

function hold(scope: string): void {
  const held = watched.get(scope);
  if (held) {
    held.count += 1;
    return;
  }
  watched.set(scope, { count: 1, release: mark(scope) });
  stand();
}

/** Holds the lock that tells the leader of the scope. Returns its release. */
function mark(scope: string): () => void {
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => { release = resolve; });
  void navigator.locks.request(WATCH + scope, { mode: "shared" }, async () => {
    tell({ kind: "watched" }, true);
    await until;
  });
  return release;
}

function drop(scope: string): void {
  const held = watched.get(scope);
  if (!held) return;
  held.count -= 1;
  if (held.count) return;
  watched.delete(scope);
  held.release();
  setTimeout(() => tell({ kind: "watched" }, true));
}

/** Waits to become the leader, and leads until the page is left. */
function stand(): void {
  if (resign) return;
  const ended = new AbortController();
  resign = () => ended.abort();
  void navigator.locks.request(LEADER, { signal: ended.signal }, () => lead(ended.signal)).catch(() => undefined);
}

async function lead(ended: AbortSignal): Promise<void> {
  let soon: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(soon);
    soon = setTimeout(() => void reconnect(), TOGETHER_MS);
  };
  const stop = listen((message) => message.kind === "watched" && look());
  const renew = onReachability((reachable) => {
    if (!reachable) return;
    disconnect();
    look();
  });
  const timer = setInterval(look, TIDY_MS);
  look();
  await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  clearInterval(timer);
  clearTimeout(soon);
  stop();
  renew();
  disconnect();
}

async function reconnect(): Promise<void> {
  const held = (await navigator.locks.query()).held ?? [];
  const scopes = [...new Set(held.map((lock) => lock.name ?? "").filter((name) => name.startsWith(WATCH)).map((name) => name.slice(WATCH.length)))].sort();
  const wanted = scopes.join(" ");
  if (!resign) return;
  if (wanted === connectedTo) return announce(isConnected);
  disconnect();
  if (!scopes.length) return;
  connectedTo = wanted;
  const opened = new EventSource(inScopes(scopes));
  source = opened;
  opened.onopen = () => announce(true);
  opened.onerror = () => {
    announce(false);
    // The browser reconnects by itself, unless the server refused.
    if (opened.readyState === EventSource.CLOSED && source === opened) setTimeout(() => {
      if (source !== opened) return;
      connectedTo = "";
      void reconnect();
    }, RETRY_MS);
  };
  for (const type of ["document", "review", "current", "end"] as const) {
    opened.addEventListener(type, (event) => {
      const data = JSON.parse((event as MessageEvent<string>).data) as Record<string, unknown>;
      tell({ kind: "documents", scope: String(data.scope), event: type === "end" ? { type, reason: String(data.reason ?? "") } : type === "current" ? { type } : { type, data } }, true);
    });
  }
}

function announce(connected: boolean): void {
  isConnected = connected;
  tell({ kind: "connected", connected }, true);
}

function disconnect(): void {
  source?.close();
  source = null;
  connectedTo = "";
  if (isConnected) announce(false);
}

onPageShown((shown) => {
  if (!shown) {
    resign?.();
    resign = null;
    disconnect();
    for (const held of watched.values()) held.release();
    return;
  }
  for (const [scope, held] of watched) held.release = mark(scope);
  if (watched.size) stand();
});
