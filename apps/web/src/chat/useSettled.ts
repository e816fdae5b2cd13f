import type { AnyStream } from "@langchain/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../api/langgraph";
import { type Kept, messageOf, type Stated } from "./kept";
import type { State } from "./state";

const AGAIN_MS = 250;
const SELDOM_MS = 2_000;
/** Looks for a question in the server's state, which it reaches a moment after it was asked, or never. */
const TRIES = 20;

/**
 * When the stream falls silent, the server is asked whether the work is over, and what came of it: a stream can end, or pause for a
 * moment, before the last words have come through it. Until that is known the answer counts as being written.
 *
 * `thread`: the conversation, known once it has been made.
 */
export function useSettled(stream: AnyStream, working: boolean, failed: boolean, thread: { current: string | null }): { settling: boolean; kept: Kept | null; forget: () => void } {
  const [settling, setSettling] = useState(false);
  const [kept, keep] = useState<Kept | null>(null);
  const [before, remember] = useState(false);
  const latest = useRef(stream);
  latest.current = stream;

  // While drawing, so that no picture shows an end in between.
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
