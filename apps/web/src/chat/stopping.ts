import type { AnyStream } from "@langchain/react";

/**
 * Ends what is running on the server, whoever started it: after a reload, or while the start is still on its way, the stream does
 * not know which run that is. What was written so far stays.
 */
export async function stopRuns(stream: AnyStream): Promise<void> {
  const thread = stream.threadId;
  if (thread) {
    const runs = (await Promise.all([stream.client.runs.list(thread, { status: "running" }), stream.client.runs.list(thread, { status: "pending" })])).flat();
    await Promise.all(runs.map((run) => stream.client.runs.cancel(thread, run.run_id, true)));
  }
  await stream.disconnect();
}
