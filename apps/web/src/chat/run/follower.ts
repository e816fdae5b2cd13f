import { activeRuns, runEvents } from "../../api/langgraph";
import { answeredAgain } from "../../live/reachability";
import { withSlot } from "../../live/slots";

/** One event of a run: `mode` such as "values", `namespace` of the subgraph ("" for the graph itself). */
export interface RunEvent {
  mode: string;
  namespace: string;
  data: unknown;
}

export interface Follower {
  onEvent: (event: RunEvent) => void;
  /** Reads the thread's state. Returns whether a run is active. */
  onPoll: () => Promise<boolean>;
}

const FIRST_POLL_MS = 400;
const POLL_MS = 1_500;
const HIDDEN_POLL_MS = 4_000;
/** Events of a run can be lost with the server that keeps them; whether a quiet run is still active is looked up. */
const QUIET_MS = 20_000;
const RETRY_MS = [500, 1_000, 2_000, 4_000];

/**
 * Follows the active run of a thread to its end: by a stream where this tab is visible and has one of the browser's connections for
 * answers, else by polling. Survives outages of any length.
 */
export async function follow(thread: string, follower: Follower, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let polls = 0;
  while (!signal.aborted) {
    try {
      const streamed = !document.hidden && (await withSlot(() => stream(thread, follower, signal)));
      if (signal.aborted) return;
      const active = await follower.onPoll();
      failures = 0;
      if (!active) return;
      polls += 1;
      await pause(document.hidden ? HIDDEN_POLL_MS : streamed || polls === 1 ? FIRST_POLL_MS : POLL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isRefused(error)) throw error;
      failures += 1;
      await answeredAgain();
      await pause(RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!, signal);
    }
  }
}

async function stream(thread: string, follower: Follower, signal: AbortSignal): Promise<void> {
  const [active] = await activeRuns(thread);
  if (!active) return;
  const left = new AbortController();
  const leave = () => (signal.aborted || document.hidden) && left.abort();
  signal.addEventListener("abort", leave);
  document.addEventListener("visibilitychange", leave);
  const look = () => void activeRuns(thread).then((runs) => !runs.includes(active) && left.abort(), () => undefined);
  let watch = setInterval(look, QUIET_MS);
  try {
    for await (const { event, data } of runEvents(thread, active, left.signal)) {
      if (left.signal.aborted) return;
      clearInterval(watch);
      watch = setInterval(look, QUIET_MS);
      const [mode = "", ...namespace] = event.split("|");
      follower.onEvent({ mode, namespace: namespace.join("|"), data: JSON.parse(data) });
    }
  } catch (error) {
    if (!left.signal.aborted) throw error;
  } finally {
    clearInterval(watch);
    left.abort();
    signal.removeEventListener("abort", leave);
    document.removeEventListener("visibilitychange", leave);
  }
}

/** Whether the server answered, and another try would get the same answer. */
const isRefused = (error: unknown): boolean => {
  const status = (error as { status?: number } | null)?.status ?? 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
};

/** Waits; ends early when the signal aborts or the tab is shown. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      document.removeEventListener("visibilitychange", shown);
      resolve();
    };
    const shown = () => !document.hidden && done();
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    document.addEventListener("visibilitychange", shown);
  });
}
