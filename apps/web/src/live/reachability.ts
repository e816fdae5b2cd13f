/**
 * Whether the server answers. After a request without an answer the server is asked until it answers. A second try that succeeds is no outage, and nobody is told of one.
 */
type Listener = (reachable: boolean) => void;

const PROBE = "/api/session";
const PROBE_MS = [500, 1_000, 2_000, 4_000];
/** What fails always is not loaded more often than this. */
const REPEATED_MS = 5_000;
const PATIENCE_MS = 10_000;

const listeners = new Set<Listener>();
let reachable = true;
let probing = false;
let ended = -Infinity;

export const isReachable = (): boolean => reachable;

/** Calls the listener with false when the server cannot be reached, and with true when it answers after a request without an answer. */
export function onReachability(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when the server answers, for work whose request had no answer. */
export function answeredAgain(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onReachability((back) => {
      if (!back) return;
      stop();
      resolve();
    });
    unanswered();
  });
}

/** A request had no answer. */
export function unanswered(): void {
  if (probing) return;
  probing = true;
  void probe();
}

async function probe(): Promise<void> {
  let wait = performance.now() - ended < 2 * REPEATED_MS ? REPEATED_MS : PROBE_MS[0]!;
  for (let failures = 1; ; failures += 1) {
    await pause(wait);
    const status = await fetch(PROBE, { headers: { "x-requested-with": "orderly" }, signal: AbortSignal.timeout(PATIENCE_MS) }).then((answer) => answer.status, () => 0);
    if (status && status < 500) break;
    if (reachable) tell(false);
    wait = PROBE_MS[Math.min(failures, PROBE_MS.length - 1)]!;
  }
  probing = false;
  ended = performance.now();
  tell(true);
}

function tell(now: boolean): void {
  reachable = now;
  for (const listener of [...listeners]) listener(now);
}

/** Waits; ends early when the network is back. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}
