/** A message of the thread's state, as the server stores it. */
export interface Message {
  id?: string | null;
  type: string;
  content: string | { type: string; text?: string }[];
  tool_calls?: Call[];
  tool_call_id?: string;
  status?: string;
  additional_kwargs?: Record<string, unknown>;
}

export interface Call {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

export const textOf = ({ content }: Pick<Message, "content">): string =>
  typeof content === "string" ? content : content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");

/** Adds streamed pieces to the messages that they belong to. A complete message replaces its pieces. */
export function withPiece(messages: readonly Message[], piece: Message): Message[] {
  const at = messages.findIndex((message) => message.id === piece.id);
  const isPart = piece.type.endsWith("Chunk");
  const type = isPart ? "ai" : piece.type;
  if (at < 0) return [...messages, { ...piece, type, content: textOf(piece) }];
  const before = messages[at]!;
  const content = isPart ? textOf(before) + textOf(piece) : textOf(piece);
  return messages.with(at, { ...before, ...(isPart ? added(before, piece) : piece), type, content });
}

/** The offsets of issued source numbers are those of the whole text, so the pieces' lists add up. The checks come whole: the last list counts. */
function added(before: Message, piece: Message): Pick<Message, "additional_kwargs"> {
  const marks = [before, piece].flatMap((message) => message.additional_kwargs?.source_marks ?? []);
  const checks = piece.additional_kwargs?.checks;
  return marks.length || checks ? { additional_kwargs: { ...before.additional_kwargs, source_marks: marks, ...(checks ? { checks } : {}) } } : {};
}
