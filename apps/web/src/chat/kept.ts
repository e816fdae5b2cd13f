import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { Citation } from "../api/types";
import type { Todo } from "./state";

/** A message as the server states it. */
export interface Stated {
  id?: string;
  type: string;
  content: string;
  tool_call_id?: string;
}

/** What the server held of the conversation when it was last quiet. Streams end without the last words, or begin again from old ones. */
export interface Kept {
  messages: BaseMessage[];
  citations: Citation[];
  todos: Todo[];
  /** Ids of what the stream had shown by then: what is not among the server's messages is no part of the conversation. */
  shown: ReadonlySet<string>;
}

export function messageOf(stated: Stated): BaseMessage {
  if (stated.type === "human") return new HumanMessage(stated);
  if (stated.type === "ai") return new AIMessage(stated);
  if (stated.type === "tool") return new ToolMessage({ ...stated, tool_call_id: stated.tool_call_id ?? "" });
  return new SystemMessage(stated);
}

/** Whether words that the server holds are not on screen, or not to their end. */
export function misses(streamed: readonly BaseMessage[], stated: readonly BaseMessage[]): boolean {
  const words = new Map(streamed.map((message) => [message.id, message.text]));
  return stated.some((message) => message.getType() === "ai" && message.text.trim() !== "" && words.get(message.id) !== message.text);
}

/** The server's messages, and after them what the stream has brought since. */
export function withKept(streamed: readonly BaseMessage[], kept: Kept | null): readonly BaseMessage[] {
  if (!kept || !misses(streamed, kept.messages)) return streamed;
  const known = new Set([...kept.shown, ...kept.messages.map((message) => message.id ?? "")]);
  return [...kept.messages, ...streamed.filter((message) => !known.has(message.id ?? ""))];
}
