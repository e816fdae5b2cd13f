import { change, get, q, send } from "./http";
import { type ServerSentEvent, serverSentEvents } from "./serverSentEvents";

/** The conversations of the same server, by LangGraph's protocol. */
export const ASSISTANT = "orderly";

export interface ThreadMetadata {
  title?: string;
  matter_id?: string | null;
  /** The documents that questions are kept to; none: all. */
  document_ids?: string[] | null;
}

export interface Thread {
  thread_id: string;
  metadata: ThreadMetadata | null;
  status: "idle" | "busy" | "interrupted" | "error";
  updated_at: string;
  interrupts?: Record<string, { id?: string; value: unknown }[]> | null;
  error?: unknown;
}

export interface ThreadState<Values> {
  values: Values;
  checkpoint: { checkpoint_id?: string } | null;
  parent_checkpoint: { checkpoint_id?: string } | null;
  interrupts?: { id?: string; value: unknown }[] | null;
}

const thread = (id: string): string => `/threads/${q(id)}`;
const MOST = 200;

/** With an `id`, a thread that exists already stays as it is. */
export const createThread = (metadata: ThreadMetadata, id?: string): Promise<Thread> => change("POST", "/threads", { metadata, ...(id ? { thread_id: id, if_exists: "do_nothing" } : {}) });
export const getThread = (id: string): Promise<Thread> => get(thread(id));
export const updateThread = (id: string, metadata: ThreadMetadata): Promise<Thread> => change("PATCH", thread(id), { metadata });
export const getState = <Values>(id: string): Promise<ThreadState<Values>> => get(`${thread(id)}/state`);

const LATEST = { limit: MOST, sort_by: "updated_at", sort_order: "desc" };
const WITHOUT_VALUES = { select: ["thread_id", "metadata", "status", "updated_at", "interrupts"] };
/** Whether the server refuses a selection of fields, as one does that never lists the values of threads. */
let listsNoValues = false;

/** The user's threads, latest first. */
export async function listThreads(): Promise<Thread[]> {
  if (!listsNoValues) {
    try {
      return await change("POST", "/threads/search", { ...LATEST, ...WITHOUT_VALUES });
    } catch (error) {
      if ((error as { status?: number }).status !== 422) throw error;
      listsNoValues = true;
    }
  }
  return change("POST", "/threads/search", LATEST);
}

/** Checkpoints, newest first. */
export const getHistory = <Values>(id: string, limit: number, before?: string): Promise<ThreadState<Values>[]> =>
  change("POST", `${thread(id)}/history`, { limit, ...(before ? { before: { configurable: { checkpoint_id: before, thread_id: id } } } : {}) });

export interface RunRequest {
  input?: unknown;
  command?: unknown;
  config?: Record<string, unknown>;
  checkpoint_id?: string;
  /** Creates the thread with `metadata` where it does not exist yet. */
  if_not_exists?: "create";
  metadata?: ThreadMetadata;
}

/** Starts a run whose events can be read from its beginning as often as needed. Not every server takes more than texts as metadata of a run. */
export const createRun = (id: string, { metadata, ...request }: RunRequest): Promise<unknown> =>
  change("POST", `${thread(id)}/runs`, {
    assistant_id: ASSISTANT, ...request, ...(metadata ? { metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => typeof value === "string")) } : {}), multitask_strategy: "reject",
    stream_mode: ["values", "messages-tuple", "custom"], stream_subgraphs: true, stream_resumable: true,
  });

/** Ids of the runs that are running or wait to run. */
export async function activeRuns(id: string): Promise<string[]> {
  const found = await Promise.all(["running", "pending"].map((status) => get<{ run_id: string }[]>(`${thread(id)}/runs?status=${status}`)));
  return found.flat().map((run) => run.run_id);
}

export const cancelRun = (id: string, run: string): Promise<Response> => send(`${thread(id)}/runs/${q(run)}/cancel?wait=1`, { method: "POST" });

/** The events of a run, from its beginning to its end. */
export async function* runEvents(id: string, run: string, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  const answer = await send(`${thread(id)}/runs/${q(run)}/stream`, { signal, headers: { "last-event-id": "-1", accept: "text/event-stream" } });
  if (answer.body) yield* serverSentEvents(answer.body);
}
