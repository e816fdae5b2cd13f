import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Conversation } from "./conversation";
import { type Message, textOf } from "./messages";
import type { Snapshot } from "./snapshot";

/** The conversation with this id; null: a new one, which gets its id when it is first asked. */
export function useConversation(thread: string | null): { conversation: Conversation; now: Snapshot } {
  // A conversation that was made here gets its id later, by its first question or file, and stays the same.
  const [conversation] = useState(() => new Conversation(thread));
  useEffect(() => {
    conversation.open();
    return () => conversation.close();
  }, [conversation]);
  useEffect(() => {
    if (thread) conversation.adopt(thread);
  }, [conversation, thread]);
  return { conversation, now: useSyncExternalStore(conversation.subscribe, conversation.snapshot) };
}

/** Messages of each delegated task by its description, which is the task's first message. */
export function useDelegatedWork(subgraphs: Snapshot["subgraphs"]): ReadonlyMap<string, readonly Message[]> {
  return useMemo(() => new Map([...subgraphs.values()].filter((messages) => messages[0]).map((messages) => [textOf(messages[0]!).trim(), messages])), [subgraphs]);
}
