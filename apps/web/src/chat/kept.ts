import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { Citation } from "../api/types";
import type { Todo } from "./state";

/** A message in the thread state of the server. */
export interface Stated {
  id?: string;
  type: string;
  content: string;
  tool_call_id?: string;
}

/** The thread state after the last run. It corrects streams that lose the last tokens or replay old events. */
export interface Kept {
  messages: BaseMessage[];
  citations: Citation[];
  todos: Todo[];
  /** Ids of the streamed messages at that time. Those missing in `messages` are not part of the conversation. */
  shown: ReadonlySet<string>;
}

export function messageOf(stated: Stated): BaseMessage {
  if (stated.type === "human") return new HumanMessage(stated);
  if (stated.type === "ai") return new AIMessage(stated);
  if (stated.type === "tool") return new ToolMessage({ ...stated, tool_call_id: stated.tool_call_id ?? "" });
  return new SystemMessage(stated);
}

/** Whether an answer on the server is missing or incomplete in the stream. */
export function misses(streamed: readonly BaseMessage[], stated: readonly BaseMessage[]): boolean {
  const words = new Map(streamed.map((message) => [message.id, message.text]));
  return stated.some((message) => message.getType() === "ai" && message.text.trim() !== "" && words.get(message.id) !== message.text);
}

/** The server's messages, followed by messages streamed since. */
export function withKept(streamed: readonly BaseMessage[], kept: Kept | null): readonly BaseMessage[] {
  if (!kept || !misses(streamed, kept.messages)) return streamed;
  const known = new Set([...kept.shown, ...kept.messages.map((message) => message.id ?? "")]);
  return [...kept.messages, ...streamed.filter((message) => !known.has(message.id ?? ""))];
}
