import type { AnyStream } from "@langchain/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../api/langgraph";
import { type ServerState, toMessage, type ServerMessage } from "./serverState";
import type { State } from "./state";

const POLL_MS = 250;
const SLOW_POLL_MS = 2_000;
/** Maximum polls for a new question to appear in the server's state. */
const TRIES = 20;

/**
 * Polls the thread's state after the stream stops, since a stream can end or pause before the last tokens arrive. The answer counts
 * as streaming until the server reports the end.
 *
 * `thread`: id of the conversation, null until it is created.
 */
export function useServerState(stream: AnyStream, working: boolean, failed: boolean, thread: { current: string | null }): { settling: boolean; serverState: ServerState | null; forget: () => void } {
  const [settling, setSettling] = useState(false);
  const [serverState, setServerState] = useState<ServerState | null>(null);
  const [before, setBefore] = useState(false);
  const latest = useRef(stream);
  latest.current = stream;

  // Set during render, so that no frame shows a finished answer too early.
  if (before !== working) {
    setBefore(working);
    if (settling === working) setSettling(!working && !failed && thread.current !== null);
  }

  useEffect(() => {
    const id = thread.current;
    if (!settling || !id) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    let pause = POLL_MS;
    const poll = async (tries: number): Promise<void> => {
      const [found, state] = await Promise.all([client.threads.get(id), client.threads.getState<State & { messages?: ServerMessage[] }>(id)]);
      if (over) return;
      const stored = (state.values.messages ?? []).map(toMessage);
      const streamed = latest.current.messages;
      const asked = streamed.findLast((message) => message.getType() === "human")?.id;
      const arrived = !asked || stored.some((message) => message.id === asked);
      if (found.status === "busy" || (!arrived && tries > 1)) {
        timer = setTimeout(() => void poll(found.status === "busy" ? TRIES : tries - 1).catch(done), pause);
        if (found.status === "busy") pause = Math.min(SLOW_POLL_MS, pause * 1.5);
        return;
      }
      const { citations = [], todos = [] } = state.values;
      setServerState({ messages: stored, citations, todos, shown: new Set(streamed.map((message) => message.id ?? "")) });
      done();
    };
    const done = () => !over && setSettling(false);
    poll(TRIES).catch(done);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [settling, thread]);

  const forget = useCallback(() => setServerState(null), []);
  return { settling, serverState, forget };
}
