import type { BaseMessage } from "@langchain/core/messages";

export interface Call {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

export interface ToolReply {
  text: string;
  failed: boolean;
}

/** One question and everything that was done about it. */
export interface Turn {
  id: string;
  question: BaseMessage;
  steps: BaseMessage[];
}

/** A conversation begins with a question; what stands before the first is nobody's to see. */
export function turnsOf(messages: readonly BaseMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.getType() === "human") {
      if (message.additional_kwargs.lc_source) continue; // a summary that stands for older messages
      turns.push({ id: message.id ?? `turn-${turns.length}`, question: message, steps: [] });
    } else turns.at(-1)?.steps.push(message);
  }
  return turns;
}

export const callsOf = (message: BaseMessage): Call[] =>
  ((message as unknown as { tool_calls?: Call[] }).tool_calls ?? []).filter((call) => call.id);

export function repliesIn(steps: readonly BaseMessage[]): Map<string, ToolReply> {
  const replies = new Map<string, ToolReply>();
  for (const step of steps) {
    if (step.getType() !== "tool") continue;
    const reply = step as unknown as { tool_call_id: string; status?: string };
    replies.set(reply.tool_call_id, { text: step.text, failed: reply.status === "error" });
  }
  return replies;
}

export interface Source {
  number: number;
  name: string;
}

const LIST = /(?:^|\n)Sources:\n((?:- \[\d+\] [^\n]*(?:\n|$))+)/;

/** An answer ends with the list of its sources, which the page shows in its own way. What follows the list stays. */
export function splitSources(text: string): { body: string; sources: Source[] } {
  const found = LIST.exec(text);
  if (!found) return { body: text.replace(/\n+Sources:\n?(?:- [^\n]*)?$/, ""), sources: [] };
  const sources = [...found[1]!.matchAll(/^- \[(\d+)\] (.*)$/gm)].map((line) => ({ number: Number(line[1]), name: line[2]! }));
  const body = `${text.slice(0, found.index)}\n${text.slice(found.index + found[0].length)}`.trimEnd();
  return { body, sources };
}

const DOING: Record<string, string> = {
  isaacus_search: "Searching",
  isaacus_extract: "Looking for the exact answer",
  isaacus_classify: "Looking for clauses",
  get_document_text: "Reading",
  list_matter_documents: "Listing the documents",
  list_matters: "Listing your matters",
  think_tool: "Thinking",
  list_contents: "Looking into a folder",
  find: "Finding by name",
  get_info: "Looking up",
  read: "Reading",
  read_around: "Reading on",
  search_keyword: "Searching for exact words",
  view_page: "Looking at a page",
  visual_search: "Looking through pages",
  resolve_citation: "Checking a quotation",
  write_todos: "Planning",
  task: "Delegating",
};

const TELLING = ["query", "question", "name", "quote", "clause_types", "filename_pattern", "reflection"];

/** What a tool call does, in a lawyer's words, and what it is about. */
export function described(call: { name: string; args: Record<string, unknown> }): { doing: string; about: string } {
  const named = TELLING.map((name) => call.args[name]).find((value) => value !== undefined && value !== null && value !== "");
  const about = Array.isArray(named) ? named.join(", ") : typeof named === "string" ? named : "";
  return { doing: DOING[call.name] ?? call.name, about };
}
