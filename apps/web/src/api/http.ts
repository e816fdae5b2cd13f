import { unanswered } from "../live/reachability";

/** REST client. The browser sends the session cookie; the header proves that the server's own page sends the request. */
export const OWN_HEADERS = { "x-requested-with": "orderly" };

/** The open conversation. Requests must name it to access its files. */
let chat: string | null = null;
export function aboutChat(id: string | null): void {
  chat = id;
}

/** Query parameter for images, whose requests carry no headers. */
export const inChat = (address: string): string => (chat ? `${address}${address.includes("?") ? "&" : "?"}chat=${encodeURIComponent(chat)}` : address);

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    detail: string,
    /** The whole problem body, with the route's extension members. */
    readonly body: Record<string, unknown> = {},
  ) {
    super(detail);
  }
}

const signedOut = new Set<() => void>();
/** Calls the listener when a response shows that the session has ended. */
export function onSignedOut(listener: () => void): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Statuses of a proxy whose server is away. The server's own have a problem as their body. */
const AWAY = new Set([502, 503, 504]);

/** Whether the server gave no answer. The request may have arrived. */
export const isUnanswered = (error: unknown): boolean => error instanceof Problem && error.status === 0;

function noAnswer(): Problem {
  unanswered();
  return new Problem(0, "No connection", "The server cannot be reached. Check your connection and try again.");
}

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers: { ...OWN_HEADERS, ...(chat ? { "orderly-chat": chat } : {}), ...init.headers } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw noAnswer();
  }
  if (answer.ok) return answer;
  const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  if (AWAY.has(answer.status) && !("detail" in body)) throw noAnswer();
  if (answer.status === 401 && !path.startsWith("/api/session")) for (const tell of signedOut) tell();
  const detail = typeof body.detail === "string" ? body.detail : `The server answered ${answer.status}.`;
  throw new Problem(answer.status, typeof body.title === "string" ? body.title : "Something went wrong", detail, body);
}

const PATIENCE_MS = 60_000;

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  // A network that only swallows requests lets them wait for minutes.
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    return (await (await send(path, { signal: signal ? AbortSignal.any([signal, patience]) : patience })).json()) as T;
  } catch (error) {
    if (signal?.aborted || error instanceof Problem || error instanceof SyntaxError) throw error;
    throw noAnswer();
  }
}

/** Browsers send at most 64 KiB, for all requests together, after a page was left. */
const MOST_KEPT_ALIVE = 15_000;

export async function change<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    // Such a request arrives also when the page is left at once.
    init.keepalive = init.body.length < MOST_KEPT_ALIVE;
    init.headers = { "content-type": "application/json" };
  }
  const answer = await send(path, init);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What a list that was not loaded says: nothing while the server is away, which the page says once and after which lists are loaded again. */
export const failureOfLoading = (error: unknown): string => (isUnanswered(error) ? "" : errorMessage(error));

export const q = encodeURIComponent;
