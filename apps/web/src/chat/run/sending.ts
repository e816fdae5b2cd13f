import { isUnanswered } from "../../api/http";
import { createRun, createThread, type RunRequest, type ThreadMetadata, updateThread } from "../../api/langgraph";
import { answeredAgain } from "../../live/reachability";
import { hasQuestion } from "./arrival";

/** A server that answers may still refuse to take a question. */
const MOST_TRIES = 4;

/** Sends a question, and again after an outage unless it had arrived. Returns false if it was stopped before. `unsent` is called when there was no answer. */
export async function sendThroughOutages({ thread, question, stopped, isStopped, unsent, send }: {
  thread: string; question: string; stopped: Promise<true>; isStopped: () => boolean; unsent: () => void; send: (hasArrived: boolean) => Promise<void>;
}): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      await send(tries > 1 && (await hasQuestion(thread, question, stopped)));
      return true;
    } catch (error) {
      if (!isUnanswered(error) || tries === MOST_TRIES) throw error;
      unsent();
      await Promise.race([answeredAgain(), stopped]);
      if (isStopped()) return false;
    }
  }
}

/**
 * Asks the first question. Thread and run are one request, sent before the page can be left, so that the question is not lost. A server that creates no threads with
 * their first run is asked for the thread first.
 */
export async function beginThread(thread: string, metadata: ThreadMetadata, request: RunRequest, hasArrived: boolean): Promise<void> {
  try {
    if (!hasArrived) await createRun(thread, { ...request, if_not_exists: "create", metadata });
    // Not every server gives the thread the metadata of its first run.
    await updateThread(thread, metadata);
  } catch (error) {
    if ((error as { status?: number }).status !== 404) throw error;
    await createThread(metadata, thread);
    await createRun(thread, request);
  }
}
