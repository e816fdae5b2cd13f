import { useEffect, useState } from "react";
import { client } from "../api/langgraph";

const POLL_MS = 2_000;

interface ThreadStatus {
  busy: boolean;
  /** Ids of pending interrupts; null while unknown. */
  interrupts: ReadonlySet<string> | null;
}

const UNKNOWN: ThreadStatus = { busy: false, interrupts: null };

/**
 * Polls the thread's status while the stream's state is unreliable: a stream opened during a run takes a moment to find the run, and a
 * stream that joins later replays old events, including answered interrupts.
 */
export function useThreadStatus(thread: string | null, needed: boolean, streaming: boolean): ThreadStatus {
  const [status, setStatus] = useState<ThreadStatus>(UNKNOWN);
  const polling = needed && !streaming;
  useEffect(() => {
    if (!thread || !polling) return setStatus(UNKNOWN);
    let timer: ReturnType<typeof setTimeout>;
    let over = false;
    const poll = () => client.threads.get(thread).then((found) => {
      if (over) return;
      const busy = found.status === "busy";
      setStatus({ busy, interrupts: new Set(Object.values(found.interrupts ?? {}).flat().map((interrupt) => interrupt.id ?? "")) });
      if (busy) timer = setTimeout(poll, POLL_MS);
    }, () => !over && setStatus(UNKNOWN));
    void poll();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [thread, polling]);
  return status;
}
