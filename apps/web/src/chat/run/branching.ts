import { getHistory } from "../../api/langgraph";

const AT_ONCE = 20;

interface ThreadValues {
  messages?: { id?: string }[];
}

/** Id of the checkpoint before a message, from the thread's history, newest first. A run from there drops all later messages. */
export async function checkpointBefore(thread: string, messageId: string): Promise<string | undefined> {
  let parent: string | undefined;
  let before: string | undefined;
  for (;;) {
    const states = await getHistory<ThreadValues>(thread, AT_ONCE, before);
    for (const state of states) {
      if (state.values.messages?.some((message) => message.id === messageId)) parent = state.parent_checkpoint?.checkpoint_id ?? undefined;
      else if (parent) return parent;
    }
    const last = states.at(-1)?.checkpoint?.checkpoint_id;
    if (states.length < AT_ONCE || !last) return parent;
    before = last;
  }
}
