import type { AnyStream } from "@langchain/react";
import { STREAM_CONTROLLER } from "@langchain/react";

/**
 * The checkpoint that a message was added to: running from there asks it anew, and what followed it is no longer part of the
 * conversation. The stream knows it for messages that it saw arrive; for older ones the thread's history tells.
 */
export async function checkpointBefore(stream: AnyStream, messageId: string): Promise<string | undefined> {
  const known = stream[STREAM_CONTROLLER].messageMetadataStore.getSnapshot().get(messageId)?.parentCheckpointId;
  if (known) return known;
  if (!stream.threadId) return undefined;
  const history = await stream.client.threads.getHistory<{ messages?: { id?: string }[] }>(stream.threadId, { limit: 1000 });
  const holding = history.filter((state) => state.values.messages?.some((message) => message.id === messageId));
  return holding.at(-1)?.parent_checkpoint?.checkpoint_id ?? undefined;
}
