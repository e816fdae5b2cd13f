import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { Citation } from "../api/types";
import type { Todo } from "./state";

/** A message in the thread state of the server. */
export interface ServerMessage {
  id?: string;
  type: string;
  content: string;
  tool_call_id?: string;
}

/** The thread state after the last run. It corrects streams that lose the last tokens or replay old events. */
export interface ServerState {
  messages: BaseMessage[];
  citations: Citation[];
  todos: Todo[];
  /** Ids of the streamed messages at that time. Those missing in `messages` are not part of the conversation. */
  shown: ReadonlySet<string>;
}

export function toMessage(stored: ServerMessage): BaseMessage {
  if (stored.type === "human") return new HumanMessage(stored);
  if (stored.type === "ai") return new AIMessage(stored);
  if (stored.type === "tool") return new ToolMessage({ ...stored, tool_call_id: stored.tool_call_id ?? "" });
  return new SystemMessage(stored);
}

/** Whether an answer on the server is missing or incomplete in the stream. */
export function isIncomplete(streamed: readonly BaseMessage[], stored: readonly BaseMessage[]): boolean {
  const words = new Map(streamed.map((message) => [message.id, message.text]));
  return stored.some((message) => message.getType() === "ai" && message.text.trim() !== "" && words.get(message.id) !== message.text);
}

/** The server's messages, followed by messages streamed since. */
export function mergeServerState(streamed: readonly BaseMessage[], state: ServerState | null): readonly BaseMessage[] {
  if (!state || !isIncomplete(streamed, state.messages)) return streamed;
  const known = new Set([...state.shown, ...state.messages.map((message) => message.id ?? "")]);
  return [...state.messages, ...streamed.filter((message) => !known.has(message.id ?? ""))];
}
