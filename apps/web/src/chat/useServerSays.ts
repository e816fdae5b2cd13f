import { useEffect, useState } from "react";
import { client } from "../api/langgraph";

const AGAIN_MS = 2_000;

interface Said {
  busy: boolean;
  /** Ids of pending interrupts; null while unknown. */
  asks: ReadonlySet<string> | null;
}

const NOTHING: Said = { busy: false, asks: null };

/**
 * Polls the thread's status while the stream's state is unreliable: a stream opened during a run takes a moment to find the run, and a
 * stream that joins later replays old events, including answered interrupts.
 */
export function useServerSays(thread: string | null, doubt: boolean, streaming: boolean): Said {
  const [said, say] = useState<Said>(NOTHING);
  const asking = doubt && !streaming;
  useEffect(() => {
    if (!thread || !asking) return say(NOTHING);
    let timer: ReturnType<typeof setTimeout>;
    let over = false;
    const ask = () => client.threads.get(thread).then((found) => {
      if (over) return;
      const busy = found.status === "busy";
      say({ busy, asks: new Set(Object.values(found.interrupts ?? {}).flat().map((asked) => asked.id ?? "")) });
      if (busy) timer = setTimeout(ask, AGAIN_MS);
    }, () => !over && say(NOTHING));
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [thread, asking]);
  return said;
}
