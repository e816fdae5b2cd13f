import type { AnyStream } from "@langchain/react";

/**
 * Cancels all runs of the thread on the server: after a reload, or before the run has started, the stream does not know the
 * run's id. The text written so far stays.
 */
export async function stopRuns(stream: AnyStream): Promise<void> {
  const thread = stream.threadId;
  if (thread) {
    const runs = (await Promise.all([stream.client.runs.list(thread, { status: "running" }), stream.client.runs.list(thread, { status: "pending" })])).flat();
    await Promise.all(runs.map((run) => stream.client.runs.cancel(thread, run.run_id, true)));
  }
  await stream.disconnect();
}
