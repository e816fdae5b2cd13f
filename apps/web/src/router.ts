import { useSyncExternalStore } from "react";

/** The current route, stored in the URL to support reload, sharing and history. */
export type Route =
  | { at: "chat"; thread: string | null }
  /** `tab`: of the matter's page; none: the first. */
  | { at: "matters"; matter: string | null; tab?: string }
  | { at: "review"; matter: string; review: string }
  | { at: "tools" };

const BASE = "/app";
const listeners = new Set<() => void>();

export function routeOf(path: string): Route {
  const [, section, id, part, review] = path.slice(BASE.length).split("/");
  if (section === "tools") return { at: "tools" };
  if (section === "matters" && id && part === "reviews" && review) return { at: "review", matter: decodeURIComponent(id), review: decodeURIComponent(review) };
  if (section === "matters") return { at: "matters", matter: id ? decodeURIComponent(id) : null, ...(part ? { tab: decodeURIComponent(part) } : {}) };
  return { at: "chat", thread: section === "chat" && id ? decodeURIComponent(id) : null };
}

export function addressOf(route: Route): string {
  if (route.at === "tools") return `${BASE}/tools`;
  if (route.at === "review") return `${BASE}/matters/${encodeURIComponent(route.matter)}/reviews/${encodeURIComponent(route.review)}`;
  if (route.at === "matters") return [`${BASE}/matters`, ...[route.matter, route.tab].flatMap((part) => (part ? [encodeURIComponent(part)] : []))].join("/");
  return route.thread ? `${BASE}/chat/${encodeURIComponent(route.thread)}` : BASE;
}

export function go(route: Route, replace = false): void {
  const address = addressOf(route);
  if (address !== location.pathname + location.search) history[replace ? "replaceState" : "pushState"](null, "", address);
  for (const listener of listeners) listener();
}

let path = location.pathname;
let current = routeOf(path);

function snapshot(): Route {
  if (location.pathname !== path) {
    path = location.pathname;
    current = routeOf(path);
  }
  return current;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

export const useRoute = (): Route => useSyncExternalStore(subscribe, snapshot);

/** The source that is shown beside a route: a document, at a page or at the words of a citation. */
export interface Source {
  document: string;
  page: number | null;
  citation: string | null;
  /** What is looked for in it. */
  words: string | null;
}

export function sourceOf(search: string): Source | null {
  const given = new URLSearchParams(search);
  const document = given.get("document");
  const page = Number(given.get("page"));
  return document ? { document, page: Number.isInteger(page) && page > 0 ? page : null, citation: given.get("citation"), words: given.get("words") } : null;
}

export function searchOf({ document, page, citation, words }: Source): string {
  const given = new URLSearchParams({ document });
  if (page) given.set("page", String(page));
  if (citation) given.set("citation", citation);
  if (words) given.set("words", words);
  return `?${given}`;
}

/** What the page of a route keeps in its address beside the route, such as filters and what is chosen. */
export const keptInAddress = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

export function keepInAddress(kept: URLSearchParams): void {
  const hash = kept.size ? `#${kept}` : "";
  if (hash !== location.hash) history.replaceState(history.state, "", location.pathname + location.search + hash);
}

const OPENED = "source";

/** Opens a source. Back closes it again. */
export function showSource(source: Source): void {
  const address = location.pathname + searchOf(source) + location.hash;
  // From source to source, Back still leads to the conversation.
  if (location.search) history.replaceState(history.state, "", address);
  else history.pushState(OPENED, "", address);
  for (const listener of listeners) listener();
}

export function closeSource(): void {
  if (!location.search) return;
  if (history.state === OPENED) return history.back();
  history.replaceState(null, "", location.pathname + location.hash);
  for (const listener of listeners) listener();
}

/** Notes the page that is in sight. */
export function turnTo(page: number): void {
  const source = sourceOf(location.search);
  if (!source || source.page === page) return;
  history.replaceState(history.state, "", location.pathname + searchOf({ ...source, page }) + location.hash);
}

let search = "";
let source: Source | null = null;

export const useSource = (): Source | null => useSyncExternalStore(subscribe, () => {
  // The page in the address follows what is in sight; it opens nothing.
  const now = location.search.replace(/&page=\d+/, "");
  if (now !== search) {
    search = now;
    source = sourceOf(location.search);
  }
  return source;
});
