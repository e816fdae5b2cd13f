/** Client of the REST API. Requests carry the session cookie; the header proves to the server that its own page sent them. */
export const OWN_HEADERS = { "x-requested-with": "orderly" };

/** The current conversation, sent with each request: only then does the server give access to its files. */
let chat: string | null = null;
export function aboutChat(id: string | null): void {
  chat = id;
}

/** Adds the conversation to an image URL, because image requests cannot set headers. */
export const inChat = (address: string): string => (chat ? `${address}${address.includes("?") ? "&" : "?"}chat=${encodeURIComponent(chat)}` : address);

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    detail: string,
    /** All fields of the problem, including those that a route adds. */
    readonly body: Record<string, unknown> = {},
  ) {
    super(detail);
  }
}

const signedOut = new Set<() => void>();
/** Calls the listener after a 401 response. */
export function onSignedOut(listener: () => void): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers: { ...OWN_HEADERS, ...(chat ? { "orderly-chat": chat } : {}), ...init.headers } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Problem(0, "No connection", "The server cannot be reached. Check your connection and try again.");
  }
  if (answer.ok) return answer;
  const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  if (answer.status === 401 && !path.startsWith("/api/session")) for (const tell of signedOut) tell();
  const detail = typeof body.detail === "string" ? body.detail : `The server answered ${answer.status}.`;
  throw new Problem(answer.status, typeof body.title === "string" ? body.title : "Something went wrong", detail, body);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, { signal: signal ?? null })).json() as Promise<T>;
}

export async function change<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  const answer = await send(path, init);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const q = encodeURIComponent;
