import type { AnyStream } from "@langchain/react";

/**
 * Cancels the thread's active runs on the server and keeps partial output. Needed because the stream does not know the run id after a
 * reload or while the run is starting.
 */
export async function stopRuns(stream: AnyStream): Promise<void> {
  const thread = stream.threadId;
  if (thread) {
    const runs = (await Promise.all([stream.client.runs.list(thread, { status: "running" }), stream.client.runs.list(thread, { status: "pending" })])).flat();
    await Promise.all(runs.map((run) => stream.client.runs.cancel(thread, run.run_id, true)));
  }
  await stream.disconnect();
}
