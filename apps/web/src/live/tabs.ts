/**
 * Messages between the tabs of this browser that show the page. The channel is closed while a tab is in the back/forward cache, because
 * an open channel keeps a tab out of the cache.
 */
export type TabMessage =
  /** A conversation was asked, answered, renamed or removed. */
  | { kind: "thread"; id: string }
  /** Matters, members or roles changed. */
  | { kind: "matters" }
  /** Folders of a matter were made, renamed or removed. */
  | { kind: "folders"; matter: string }
  /** Another set of documents is watched. */
  | { kind: "watched" }
  /** An event of watched documents or of a watched review, from the tab that holds the connection. */
  | { kind: "documents"; scope: string; event: DocumentEvent }
  | { kind: "connected"; connected: boolean }
  | { kind: "session" };

export type DocumentEvent =
  | { type: "document"; data: Record<string, unknown> }
  /** Cells of a review have changed. */
  | { type: "review"; data: Record<string, unknown> }
  /** Everything that happened so far was sent. */
  | { type: "current" }
  /** Access has ended. */
  | { type: "end"; reason: string };

type Listener = (message: TabMessage) => void;

const NAME = "orderly";
const listeners = new Set<Listener>();
const lifecycle = new Set<(shown: boolean) => void>();
let channel: BroadcastChannel | null = null;

const deliver = (message: TabMessage): void => {
  for (const listener of [...listeners]) listener(message);
};

function open(): void {
  channel = new BroadcastChannel(NAME);
  channel.onmessage = (event: MessageEvent<TabMessage>) => deliver(event.data);
}

/** Sends to the other tabs. `here`: also to this one. */
export function tell(message: TabMessage, here = false): void {
  channel?.postMessage(message);
  if (here) deliver(message);
}

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener with false when the page is left, with true when it returns from the back/forward cache. */
export function onPageShown(listener: (shown: boolean) => void): () => void {
  lifecycle.add(listener);
  return () => lifecycle.delete(listener);
}

if (typeof window !== "undefined") {
  open();
  addEventListener("pagehide", () => {
    for (const listener of [...lifecycle]) listener(false);
    channel?.close();
    channel = null;
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    open();
    for (const listener of [...lifecycle]) listener(true);
  });
}
