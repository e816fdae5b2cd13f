import { get, q } from "../api/http";
import { withoutShouting } from "../names";

const OPENING = 800;
const LINES = 12;
const LONGEST = 120;

const EXHIBIT = /^(?:exhibits?|annexures?)\s+[\d.]+\s*/i;
const KIND = /^(?:agreement|deed|lease|contract|licen[cs]e|guarantee|undertaking|memorandum|constitution|charter|policy|affidavit|indenture|will)$/i;
const SMALL = /^(?:and|of|the|for|to|in|on|by|or|with|&)$/i;
/** What a title goes on with after the kind of document: "between A and B". */
const AFTER = /^(?:of|for|to|with|between|regarding)$/i;
/** A sentence begins, not a title. */
const SENTENCE = /^(?:this|the|that|an?|in|under|whereas)$/i;

/** The title that a document bears in its first lines, such as "Deed of Guarantee", or "". */
export function titleIn(opening: string): string {
  const lines = opening.split("\n").map((line) => line.replace(/\s+/g, " ").trim().replace(EXHIBIT, "").replace(/\.$/, "")).filter(Boolean);
  return withoutShouting(lines.slice(0, LINES).find(isTitle) ?? "");
}

function isTitle(line: string): boolean {
  const words = line.split(" ");
  const kind = words.findIndex((word) => KIND.test(word));
  if (line.length > LONGEST || words.length < 2 || kind < 0 || SENTENCE.test(words[0]!)) return false;
  const before = words.slice(0, kind).every((word) => /^[\p{Lu}\d]/u.test(word) || SMALL.test(word));
  return before && (kind === words.length - 1 || AFTER.test(words[kind + 1]!) || words.slice(kind).every((word) => /^\p{Lu}/u.test(word) || SMALL.test(word)));
}

export const titleOf = async (documentId: string): Promise<string> =>
  titleIn((await get<{ text: string }>(`/api/documents/${q(documentId)}/text?start=0&end=${OPENING}`)).text);
