import { activeRuns, cancelRun, createRun, getState, getThread, type RunRequest, type ThreadMetadata, updateThread } from "../../api/langgraph";
import { isUnanswered } from "../../api/http";
import { answeredAgain, onReachability } from "../../live/reachability";
import { listen, onPageShown, tell } from "../../live/tabs";
import { checkpointBefore } from "./branching";
import { follow } from "./follower";
import type { Message } from "./messages";
import { beginThread, sendThroughOutages } from "./sending";
import { afterEvent, afterReading, EMPTY, type Snapshot, type Stored, UNSENT } from "./snapshot";

/** One conversation: loads it, asks, follows the answer, and keeps up with other tabs. A store for useSyncExternalStore. */
export class Conversation {
  #now: Snapshot;
  #listeners = new Set<() => void>();
  #open = false;
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
      // What failed for want of a connection has failed no longer; a question that was not sent still is not.
      onReachability((reachable) => reachable && isUnanswered(this.#now.failure) && this.#set({ failure: this.#now.unsent ? UNSENT : null })),
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
   * `created` is called with the id of the thread once the server has the question; `unsent` if the sign-in has ended, or as long as the server is away;
   * `failed` if the server did not take it.
   */
  async ask(text: string, options: { config: Record<string, unknown>; metadata: ThreadMetadata; again?: string; created: (thread: string) => void; unsent: () => void; failed: () => void }): Promise<void> {
    const question: Message = { id: crypto.randomUUID(), type: "human", content: text };
    const at = options.again ? this.#now.messages.findIndex((message) => message.id === options.again) : -1;
    const { messages: before, loading } = this.#now;
    const wasUnsent = this.#now.unsent !== null && this.#now.unsent.id === options.again;
    this.#set({ messages: [...(at < 0 ? before : before.slice(0, at)), question], busy: true, stopped: false, unsent: null, failure: null, status: null, interrupt: null, subgraphs: new Map() });
    const known = this.#now.thread;
    const thread = known ?? crypto.randomUUID();
    const request: RunRequest = { input: { messages: [question] }, config: options.config };
    try {
      const arrived = await this.#send(thread, question, options.unsent, async (hasArrived) => {
        if (!known) return beginThread(thread, options.metadata, request, hasArrived);
        // A conversation that is asked before its messages are shown may have a title.
        const isNamed = options.metadata.title && loading && !hasArrived && (await getState<{ messages?: Message[] }>(thread)).values.messages?.length;
        if (!hasArrived) {
          const checkpoint = at < 0 || wasUnsent ? undefined : await checkpointBefore(thread, options.again!);
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
      else options.failed();
      this.#set({ busy: false, unsent: question, failure: error });
    }
  }

  /** Shows a question that the server did not take before the page was loaded again. */
  restore(text: string): void {
    const unsent: Message = { id: crypto.randomUUID(), type: "human", content: text };
    this.#set({ messages: [...this.#now.messages, unsent], unsent, failure: UNSENT });
  }

  /** Removes the question that the server did not take. */
  discard(): void {
    const { messages, unsent } = this.#now;
    this.#set({ messages: messages.filter((message) => message.id !== unsent?.id), unsent: null, failure: null });
  }

  async #send(thread: string, question: Message, unsent: () => void, send: (hasArrived: boolean) => Promise<void>): Promise<boolean> {
    const stopped = new Promise<true>((resolve) => { this.#sending = () => resolve(true); });
    try {
      return await sendThroughOutages({ thread, question: question.id!, stopped, isStopped: () => this.#now.stopped, unsent, send });
    } finally {
      this.#sending = null;
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
    this.#set({ stopped: true });
    if (this.#sending) return this.#sending();
    if (!thread) return;
    await Promise.all((await activeRuns(thread)).map((run) => cancelRun(thread, run)));
  }

  fail = (error: unknown): void => this.#set({ failure: error });

  async #started(thread: string): Promise<void> {
    // A page that has gone on to another conversation lists this one, too.
    tell({ kind: "thread", id: thread }, !this.#open);
    if (this.#now.stopped) await this.stop();
    await this.#follow();
  }

  async #follow(): Promise<void> {
    const { thread } = this.#now;
    if (!thread || !this.#open || this.#following) return;
    const following = new AbortController();
    this.#following = following;
    this.#set({ busy: true });
    try {
      await follow(thread, { onEvent: (event) => this.#set(afterEvent(this.#now, event)), onPoll: () => this.#read() }, following.signal);
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
    const [thread, state] = await Promise.all([getThread(id), getState<Stored>(id)]);
    const found = afterReading(this.#now, thread, state);
    this.#set(found);
    return found.busy;
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
