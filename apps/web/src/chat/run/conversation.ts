import { activeRuns, cancelRun, createRun, createThread, getState, getThread, type RunRequest, type ThreadMetadata, updateThread } from "../../api/langgraph";
import { isUnanswered } from "../../api/http";
import { answeredAgain } from "../../live/reachability";
import { listen, onPageShown, tell } from "../../live/tabs";
import type { State } from "../state";
import { hasQuestion } from "./arrival";
import { follow, type RunEvent } from "./follower";
import { checkpointBefore } from "./branching";
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
  failure: unknown;
  /** What the run is doing, as it says itself while an answer waits. */
  status: Status | null;
  values: State;
  messages: readonly Message[];
  interrupt: Interrupt | null;
  /** States of subgraphs by namespace. */
  subgraphs: ReadonlyMap<string, readonly Message[]>;
}

const NO_MESSAGES: readonly Message[] = [];
export const EMPTY: Snapshot = { thread: null, loading: false, busy: false, failure: null, status: null, values: {}, messages: NO_MESSAGES, interrupt: null, subgraphs: new Map() };

/** A server that answers may still refuse to take a question. */
const MOST_TRIES = 4;

/** One conversation: loads it, asks, follows the answer, and keeps up with other tabs. A store for useSyncExternalStore. */
export class Conversation {
  #now: Snapshot;
  #listeners = new Set<() => void>();
  #open = false;
  #stopped = false;
  #following: AbortController | null = null;
  /** While a question is being sent: gives that up. */
  #sending: (() => void) | null = null;
  #scheduled = false;
  #leave: (() => void)[] = [];

  constructor(thread: string | null) {
    this.#now = { ...EMPTY, thread, loading: thread !== null };
  }

  /** Begins to keep up with the server. */
  open(): void {
    this.#open = true;
    this.#leave = [
      listen((message) => message.kind === "thread" && message.id === this.#now.thread && void this.refresh()),
      onPageShown((shown) => {
        if (!shown) this.#following?.abort();
        else void this.refresh();
      }),
    ];
    void this.refresh();
  }

  /** A new conversation got its thread before its first question, for files. */
  adopt(thread: string): void {
    if (!this.#now.thread) this.#set({ thread });
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): Snapshot => this.#now;

  close(): void {
    this.#open = false;
    this.#following?.abort();
    for (const leave of this.#leave) leave();
  }

  /** Reads the conversation from the server, and follows its run if there is one. Where the server is away, when it is back. */
  async refresh(): Promise<void> {
    if (!this.#now.thread || this.#following || this.#sending) return;
    try {
      if (await this.#read()) await this.#follow();
    } catch (error) {
      if (isUnanswered(error)) {
        await answeredAgain();
        return this.#open ? this.refresh() : undefined;
      }
      this.#set({ failure: error });
    }
    this.#set({ loading: false });
  }

  /**
   * Asks a question. `again`: the id of an earlier question that this one replaces, with all that follows it.
   * `created` is called with the id of the thread once the server has the question; `unsent` if the sign-in has ended, or as long as the server is away.
   */
  async ask(text: string, options: { config: Record<string, unknown>; metadata: ThreadMetadata; again?: string; created: (thread: string) => void; unsent: () => void }): Promise<void> {
    const question: Message = { id: crypto.randomUUID(), type: "human", content: text };
    const at = options.again ? this.#now.messages.findIndex((message) => message.id === options.again) : -1;
    const { messages: before, loading } = this.#now;
    this.#stopped = false;
    this.#set({ messages: [...(at < 0 ? before : before.slice(0, at)), question], busy: true, failure: null, status: null, interrupt: null, subgraphs: new Map() });
    const known = this.#now.thread;
    const thread = known ?? crypto.randomUUID();
    const request: RunRequest = { input: { messages: [question] }, config: options.config };
    try {
      const arrived = await this.#send(thread, question, options.unsent, async (hasArrived) => {
        if (!known) return this.#begin(thread, options.metadata, request, hasArrived);
        // A conversation that is asked before its messages are shown may have a title.
        const isNamed = options.metadata.title && loading && !hasArrived && (await getState<{ messages?: Message[] }>(thread)).values.messages?.length;
        if (!hasArrived) {
          const checkpoint = at < 0 ? undefined : await checkpointBefore(thread, options.again!);
          await createRun(thread, { ...request, ...(checkpoint ? { checkpoint_id: checkpoint } : {}) });
        }
        // The first question names a conversation that was made for its files.
        if (options.metadata.title && !isNamed) await updateThread(thread, options.metadata);
      });
      if (!arrived) return this.#set({ busy: false });
      this.#set({ thread });
      options.created(thread);
      await this.#started(thread);
    } catch (error) {
      if ((error as { status?: number }).status === 401) options.unsent();
      this.#set({ busy: false, failure: error });
    }
  }

  /** Sends a question, and again after an outage unless it had arrived. Returns false if it was stopped before. */
  async #send(thread: string, question: Message, unsent: () => void, send: (hasArrived: boolean) => Promise<void>): Promise<boolean> {
    const stopped = new Promise<true>((resolve) => { this.#sending = () => resolve(true); });
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          await send(tries > 1 && (await hasQuestion(thread, question.id!, stopped)));
          return true;
        } catch (error) {
          if (!isUnanswered(error) || tries === MOST_TRIES) throw error;
          unsent();
          await Promise.race([answeredAgain(), stopped]);
          if (this.#stopped) return false;
        }
      }
    } finally {
      this.#sending = null;
    }
  }

  /**
   * Asks the first question. Thread and run are one request, sent before the page can be left, so that the question is not lost. A server that creates no threads with
   * their first run is asked for the thread first.
   */
  async #begin(thread: string, metadata: ThreadMetadata, request: RunRequest, hasArrived: boolean): Promise<void> {
    try {
      if (!hasArrived) await createRun(thread, { ...request, if_not_exists: "create", metadata });
      // Not every server gives the thread the metadata of its first run.
      await updateThread(thread, metadata);
    } catch (error) {
      if ((error as { status?: number }).status !== 404) throw error;
      await createThread(metadata, thread);
      await createRun(thread, request);
    }
  }

  /** Answers the question at which the run waits. Sends only the answer: with a matter in its config, the run has no interrupt. */
  async respond(value: unknown): Promise<void> {
    const { thread } = this.#now;
    if (!thread) return;
    this.#set({ busy: true, failure: null, interrupt: null });
    try {
      await createRun(thread, { command: { resume: value } });
      await this.#started(thread);
    } catch (error) {
      if (isUnanswered(error)) await answeredAgain();
      const busy = await this.#read().catch(() => null);
      if (busy) return this.#follow();
      // The answer had arrived, and the run has ended.
      if (busy === false && !this.#now.interrupt) return;
      this.#set({ busy: false, failure: error });
      throw error;
    }
  }

  /** Cancels the active runs and keeps what was written. A run that is only being created is cancelled when it exists. */
  async stop(): Promise<void> {
    const { thread } = this.#now;
    this.#stopped = true;
    if (this.#sending) return this.#sending();
    if (!thread) return;
    await Promise.all((await activeRuns(thread)).map((run) => cancelRun(thread, run)));
  }

  fail = (error: unknown): void => this.#set({ failure: error });

  async #started(thread: string): Promise<void> {
    // A page that has gone on to another conversation lists this one, too.
    tell({ kind: "thread", id: thread }, !this.#open);
    if (this.#stopped) await this.stop();
    await this.#follow();
  }

  async #follow(): Promise<void> {
    const { thread } = this.#now;
    if (!thread || !this.#open || this.#following) return;
    const following = new AbortController();
    this.#following = following;
    this.#set({ busy: true });
    try {
      await follow(thread, { onEvent: (event) => this.#take(event), onPoll: () => this.#read() }, following.signal);
    } finally {
      this.#following = null;
      if (!following.signal.aborted) {
        this.#set({ busy: false, status: null });
        tell({ kind: "thread", id: thread });
      }
    }
  }

  /** Reads status and state. Returns whether a run is active. */
  async #read(): Promise<boolean> {
    const id = this.#now.thread!;
    const [thread, state] = await Promise.all([getThread(id), getState<State & { messages?: Message[] }>(id)]);
    const busy = thread.status === "busy";
    const stored: Message[] = state.values.messages ?? [];
    const asked = this.#now.messages.findLast((message) => message.type === "human");
    // A question that was just asked may not be stored yet.
    const known = new Set(stored.map((message) => message.id));
    const kept = busy && asked && !known.has(asked.id) ? this.#now.messages
      // The text of a stopped answer is on no server, nor is the question if the run had stored nothing.
      : this.#stopped ? [...stored, ...this.#now.messages.filter((message) => !known.has(message.id) && (message === asked || (message.type === "ai" && textOf(message).trim())))]
      : stored;
    // Servers tell them with the thread, its state, or both.
    const [interrupt] = [...Object.values(thread.interrupts ?? {}).flat(), ...(state.interrupts ?? [])];
    const failure = thread.status === "error" ? (this.#now.failure ?? thread.error ?? "error") : null;
    this.#set({
      values: state.values, messages: kept, busy,
      interrupt: !busy && interrupt ? { id: interrupt.id ?? "", value: interrupt.value } : null,
      ...(busy ? {} : { failure }),
    });
    return busy;
  }

  #take({ mode, namespace, data }: RunEvent): void {
    if (mode === "error") {
      this.#set({ failure: data });
    } else if (mode === "custom") {
      const { type, text, seconds } = data as { type?: string } & Status;
      if (type === "orderly.status") this.#set({ status: { text, seconds } });
    } else if (mode === "values" && !namespace) {
      const values = data as State & { messages?: Message[] };
      // Interrupts come as values without messages.
      if (values.messages) this.#set({ values, messages: values.messages });
    } else if (mode === "values") {
      const { messages } = data as { messages?: Message[] };
      if (messages) this.#set({ subgraphs: new Map(this.#now.subgraphs).set(namespace, messages) });
    } else if (mode === "messages" && !namespace) {
      const [piece] = data as [Message];
      const complete = (this.#now.values.messages as Message[] | undefined)?.some((message) => message.id === piece.id);
      if (!complete && (piece.type.startsWith("AI") || piece.type === "ai")) this.#set({ status: null, messages: withPiece(this.#now.messages, piece) });
    }
  }

  #set(change: Partial<Snapshot>): void {
    this.#now = { ...this.#now, ...change };
    if (this.#scheduled || !this.#open) return;
    this.#scheduled = true;
    // Events that arrive together are drawn together.
    setTimeout(() => {
      this.#scheduled = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}
