import { activeRuns, getState } from "../../api/langgraph";
import type { Message } from "./messages";

const LOOK_AGAIN_MS = 1_000;

/**
 * Whether a question, whose request had no answer, is on the server. An active run may be the question's own, which has not stored it yet, or answer another tab's: it is
 * waited for, until it is `stopped`.
 */
export async function hasQuestion(thread: string, id: string, stopped: Promise<true>): Promise<boolean> {
  try {
    for (;;) {
      // Before the state: a run that ends in between has stored its question.
      const runs = await activeRuns(thread);
      const { values } = await getState<{ messages?: Message[] }>(thread);
      if ((values.messages ?? []).some((message) => message.id === id)) return true;
      if (!runs.length) return false;
      const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), LOOK_AGAIN_MS));
      // Who stops ends the run, whosever it is.
      if (await Promise.race([stopped, pause])) return true;
    }
  } catch (error) {
    if ((error as { status?: number }).status === 404) return false;
    throw error;
  }
}
