import type { AnyStream } from "@langchain/react";

const AT_ONCE = 20;

interface ThreadValues {
  messages?: { id?: string }[];
}

/**
 * Id of the checkpoint before a message. A run from this checkpoint asks the question again and drops all later messages. Read
 * from the thread's history, newest first, because a stream that joined later knows a different checkpoint.
 */
export async function checkpointBefore(stream: AnyStream, messageId: string): Promise<string | undefined> {
  const { client, threadId } = stream;
  if (!threadId) return undefined;
  let parent: string | undefined;
  let before: string | undefined;
  for (;;) {
    const states = await client.threads.getHistory<ThreadValues>(threadId, { limit: AT_ONCE, ...(before ? { before: { configurable: { checkpoint_id: before, thread_id: threadId } } } : {}) });
    for (const state of states) {
      if (state.values.messages?.some((message) => message.id === messageId)) parent = state.parent_checkpoint?.checkpoint_id ?? undefined;
      else if (parent) return parent;
    }
    const last = states.at(-1)?.checkpoint.checkpoint_id;
    if (states.length < AT_ONCE || !last) return parent;
    before = last;
  }
}
