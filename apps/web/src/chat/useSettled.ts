import type { AnyStream } from "@langchain/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../api/langgraph";
import { type Kept, messageOf, type Stated } from "./kept";
import type { State } from "./state";

const AGAIN_MS = 250;
const SELDOM_MS = 2_000;
/** Maximum polls for a new question to appear in the server's state. */
const TRIES = 20;

/**
 * Polls the thread's state after the stream stops, since a stream can end or pause before the last tokens arrive. The answer counts
 * as streaming until the server reports the end.
 *
 * `thread`: id of the conversation, null until it is created.
 */
export function useSettled(stream: AnyStream, working: boolean, failed: boolean, thread: { current: string | null }): { settling: boolean; kept: Kept | null; forget: () => void } {
  const [settling, setSettling] = useState(false);
  const [kept, keep] = useState<Kept | null>(null);
  const [before, remember] = useState(false);
  const latest = useRef(stream);
  latest.current = stream;

  // Set during render, so that no frame shows a finished answer too early.
  if (before !== working) {
    remember(working);
    if (settling === working) setSettling(!working && !failed && thread.current !== null);
  }

  useEffect(() => {
    const id = thread.current;
    if (!settling || !id) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    let pause = AGAIN_MS;
    const look = async (tries: number): Promise<void> => {
      const [found, state] = await Promise.all([client.threads.get(id), client.threads.getState<State & { messages?: Stated[] }>(id)]);
      if (over) return;
      const stated = (state.values.messages ?? []).map(messageOf);
      const streamed = latest.current.messages;
      const asked = streamed.findLast((message) => message.getType() === "human")?.id;
      const arrived = !asked || stated.some((message) => message.id === asked);
      if (found.status === "busy" || (!arrived && tries > 1)) {
        timer = setTimeout(() => void look(found.status === "busy" ? TRIES : tries - 1).catch(done), pause);
        if (found.status === "busy") pause = Math.min(SELDOM_MS, pause * 1.5);
        return;
      }
      const { citations = [], todos = [] } = state.values;
      keep({ messages: stated, citations, todos, shown: new Set(streamed.map((message) => message.id ?? "")) });
      done();
    };
    const done = () => !over && setSettling(false);
    look(TRIES).catch(done);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [settling, thread]);

  const forget = useCallback(() => keep(null), []);
  return { settling, kept, forget };
}
