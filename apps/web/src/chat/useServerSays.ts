import { useEffect, useState } from "react";
import { client } from "../api/langgraph";

const AGAIN_MS = 2_000;

interface Said {
  busy: boolean;
  /** Ids of the questions that wait for the user; null: not known yet. */
  asks: ReadonlySet<string> | null;
}

const NOTHING: Said = { busy: false, asks: null };

/**
 * What the server says of a conversation where the stream leaves a doubt. Opened while its answer is being written, the stream takes a
 * moment to find the run; and joined later, it replays old events, among them questions that were answered long ago.
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
