import type { Message } from "../run/messages";

/** What the gate found out about words of an answer. `start` and `end` are offsets in code points of the message's text. */
export interface Check {
  start: number;
  end: number;
  verdict: string;
  reason: string;
  citations: string[];
  place: string;
}

/** The verdicts that readers are told. */
export const TOLD: Record<string, string> = { contradicted: "Contradicted by the document", "not found": "Not found in what was read" };

export const NO_CHECKS: readonly Check[] = [];

/** The checks of a message that readers are told. */
export function checksOf({ additional_kwargs: given }: Message): readonly Check[] {
  return Array.isArray(given?.checks) ? (given.checks as Check[]).filter((check) => Object.hasOwn(TOLD, check.verdict)) : NO_CHECKS;
}

/** What stands in a line before its words; a line at the edge of a fence has no words. */
const BEFORE = /^(?:\s*(?:`{3}|~{3})[^\n]*|(?:[\s>*+-]|\d{1,9}[.)]\s)*(?:\[[ xX]\]\s)?)/;
const LONGEST = 80;
const WORD = /^[\p{L}\p{N}\p{Sc}]$/u;
const OPENING = /^[“‘"'(]$/;
const CLOSING = /^[.,;:!?%…”’"')]$/;
const SYNTAX = /^[*_~[\]]$/;

/** Puts signs around the words of each check in each line and cell, inside of emphasis, so that the Markdown stays what it is. `points`: code points, or what stands in their place. */
export function withTints(points: readonly string[], checks: readonly Check[]): string[] {
  const out = [...points];
  let done = 0;
  for (const [n, { start, end }] of checks.entries()) {
    if (!(start >= done)) continue;
    done = Math.min(end, points.length);
    for (let from = start, to = from; from < done; from = to + 1) {
      for (to = from; to < done && points[to] !== "\n" && points[to] !== "|"; ) to++;
      const line = from && points.lastIndexOf("\n", from - 1) + 1;
      let first = Math.max(from, line + BEFORE.exec(points.slice(line, line + LONGEST).join(""))![0].length);
      let last = to;
      while (first < last && !WORD.test(points[first]!) && (!OPENING.test(points[first]!) || SYNTAX.test(points[first - 1]!))) first++;
      while (first < last && !WORD.test(points[last - 1]!) && (!CLOSING.test(points[last - 1]!) || SYNTAX.test(points[last]!))) last--;
      if (first >= last) continue;
      out[first] = `\uE004${n}\uE005${out[first]}`;
      out[last - 1] += "\uE006";
    }
  }
  return out;
}

/** For what has neither tints nor sources. */
export const withoutSigns = (text: string): string => text.replace(/ ?\uE002\d+\uE003|\uE004\d+\uE005|\uE006/g, "");
