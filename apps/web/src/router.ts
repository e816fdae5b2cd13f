import { useSyncExternalStore } from "react";

/** The current route, stored in the URL to support reload, sharing and history. */
export type Route =
  | { at: "chat"; thread: string | null }
  | { at: "matters"; matter: string | null }
  | { at: "tools" };

const BASE = "/app";
const listeners = new Set<() => void>();

export function routeOf(path: string): Route {
  const [, section, id] = path.slice(BASE.length).split("/");
  if (section === "tools") return { at: "tools" };
  if (section === "matters") return { at: "matters", matter: id ? decodeURIComponent(id) : null };
  return { at: "chat", thread: section === "chat" && id ? decodeURIComponent(id) : null };
}

export function addressOf(route: Route): string {
  if (route.at === "tools") return `${BASE}/tools`;
  if (route.at === "matters") return route.matter ? `${BASE}/matters/${encodeURIComponent(route.matter)}` : `${BASE}/matters`;
  return route.thread ? `${BASE}/chat/${encodeURIComponent(route.thread)}` : BASE;
}

export function go(route: Route, replace = false): void {
  const address = addressOf(route);
  if (address !== location.pathname) history[replace ? "replaceState" : "pushState"](null, "", address);
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
