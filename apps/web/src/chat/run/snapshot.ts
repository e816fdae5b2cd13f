import type { Thread, ThreadState } from "../../api/langgraph";
import type { State } from "../state";
import type { RunEvent } from "./follower";
import { type Message, textOf, withPiece } from "./messages";

export interface Interrupt {
  id: string;
  value: unknown;
}

export interface Status {
  text: string;
  seconds: number;
}

/** What a tab knows about a conversation. */
export interface Snapshot {
  thread: string | null;
  loading: boolean;
  busy: boolean;
  /** Whether the last answer was stopped here. */
  stopped: boolean;
  failure: unknown;
  /** What the run is doing, as it says itself while an answer waits. */
  status: Status | null;
  values: State;
  messages: readonly Message[];
  /** A question that the server did not take, until it is sent or discarded. It is the last of the messages. */
  unsent: Message | null;
  interrupt: Interrupt | null;
  /** States of subgraphs by namespace. */
  subgraphs: ReadonlyMap<string, readonly Message[]>;
}

/** The failure of a question that was not sent before the page was loaded again. */
export const UNSENT = "unsent";

const NO_MESSAGES: readonly Message[] = [];
export const EMPTY: Snapshot = {
  thread: null, loading: false, busy: false, stopped: false, failure: null, status: null, values: {}, messages: NO_MESSAGES, unsent: null, interrupt: null, subgraphs: new Map(),
};

export type Stored = State & { messages?: Message[] };

/** What is known after the server's thread and state were read. */
export function afterReading(now: Snapshot, thread: Thread, state: ThreadState<Stored>): Partial<Snapshot> & { busy: boolean } {
  const busy = thread.status === "busy";
  const stored: Message[] = state.values.messages ?? [];
  const asked = now.messages.findLast((message) => message.type === "human");
  // A question that was just asked may not be stored yet.
  const known = new Set(stored.map((message) => message.id));
  const messages = busy && asked && !known.has(asked.id) ? now.messages
    // The text of a stopped answer is on no server, nor is the question if the run had stored nothing.
    : now.stopped ? [...stored, ...now.messages.filter((message) => !known.has(message.id) && (message === asked || (message.type === "ai" && textOf(message).trim())))]
    : now.unsent ? [...stored, now.unsent]
    : stored;
  // Servers tell them with the thread, its state, or both.
  const [interrupt] = [...Object.values(thread.interrupts ?? {}).flat(), ...(state.interrupts ?? [])];
  const failure = now.unsent ? now.failure : thread.status === "error" ? (now.failure ?? thread.error ?? "error") : null;
  return {
    values: state.values, messages, busy,
    interrupt: !busy && interrupt ? { id: interrupt.id ?? "", value: interrupt.value } : null,
    ...(busy ? {} : { failure }),
  };
}

/** What an event of a run changes. */
export function afterEvent(now: Snapshot, { mode, namespace, data }: RunEvent): Partial<Snapshot> {
  if (mode === "error") return { failure: data };
  if (mode === "custom") {
    const { type, text, seconds } = data as { type?: string } & Status;
    return type === "orderly.status" ? { status: { text, seconds } } : {};
  }
  if (mode === "values" && !namespace) {
    const values = data as Stored;
    // Interrupts come as values without messages.
    return values.messages ? { values, messages: values.messages } : {};
  }
  if (mode === "values") {
    const { messages } = data as { messages?: Message[] };
    return messages ? { subgraphs: new Map(now.subgraphs).set(namespace, messages) } : {};
  }
  if (mode === "messages" && !namespace) {
    const [piece] = data as [Message];
    const complete = (now.values.messages as Message[] | undefined)?.some((message) => message.id === piece.id);
    if (!complete && (piece.type.startsWith("AI") || piece.type === "ai")) return { status: null, messages: withPiece(now.messages, piece) };
  }
  return {};
}
