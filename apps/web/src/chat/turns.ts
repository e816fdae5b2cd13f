import { type Call, type Message, textOf } from "./run/messages";

export interface ToolReply {
  text: string;
  failed: boolean;
}

/** One question with all messages that follow it. */
export interface Turn {
  id: string;
  question: Message;
  steps: Message[];
}

/** Groups messages into turns. Messages before the first question are hidden. */
export function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.type === "human") {
      if (message.additional_kwargs?.lc_source) continue; // a summary of older messages
      turns.push({ id: message.id ?? `turn-${turns.length}`, question: message, steps: [] });
    } else turns.at(-1)?.steps.push(message);
  }
  return turns;
}

export const callsOf = (message: Message): Call[] =>
  (message.tool_calls ?? []).filter((call) => call.id);

export function repliesIn(steps: readonly Message[]): Map<string, ToolReply> {
  const replies = new Map<string, ToolReply>();
  for (const step of steps) {
    if (step.type === "tool" && step.tool_call_id) replies.set(step.tool_call_id, { text: textOf(step), failed: step.status === "error" });
  }
  return replies;
}

export interface Source {
  number: number;
  name: string;
}

const LIST = /(?:^|\n)Sources:\n((?:- \uE002\d+\uE003 [^\n]*(?:\n|$))+)/;

/** Offsets of the source numbers that the gate issued in a message's text. */
export const marksOf = (message: Message): number[] => {
  const marks = message.additional_kwargs?.source_marks;
  return Array.isArray(marks) ? marks.filter((mark): mark is number => Number.isInteger(mark)) : [];
};

/** What the product ends an answer with that has statements to check. */
const NOTICE = /(?:^|\n)Check before you rely on it:\n+(?:- [^\n]*(?:\n|$))+\s*$/;

/**
 * Separates the list of sources, whose numbers are issued, from an answer; text after the list stays in `body`. `told`: whether the product ended it with a notice,
 * which is separated, too; the same words of a model stand before it, or in an answer without one.
 */
export function splitSources(text: string, told = false): { body: string; notice: string; sources: Source[] } {
  const found = LIST.exec(text);
  const before = found ? text.slice(0, found.index) : text.replace(/\n+Sources:\n?(?:- \uE002?[^\n]*)?$/, "");
  const notice = (told && NOTICE.exec(before)?.[0]) || "";
  const after = found ? text.slice(found.index + found[0].length) : "";
  const sources = [...(found?.[1] ?? "").matchAll(/^- \uE002(\d+)\uE003 (.*)$/gm)].map((line) => ({ number: Number(line[1]), name: line[2]! }));
  return { body: `${before.slice(0, before.length - notice.length)}\n${after}`.trimEnd(), notice: notice.trim(), sources };
}

const DOING: Record<string, string> = {
  isaacus_search: "Searching",
  isaacus_extract: "Looking for the exact answer",
  isaacus_classify: "Looking for clauses",
  get_document_text: "Reading",
  ask_documents: "Asking every document",
  read_review: "Reading a review",
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

/** Description of a tool call for users: activity and subject. */
export function described(call: { name: string; args: Record<string, unknown> }): { doing: string; about: string } {
  const named = TELLING.map((name) => call.args[name]).find((value) => value !== undefined && value !== null && value !== "");
  const about = Array.isArray(named) ? named.join(", ") : typeof named === "string" ? named : "";
  return { doing: DOING[call.name] ?? call.name, about };
}
