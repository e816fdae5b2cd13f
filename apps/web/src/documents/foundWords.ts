/** What a search in the text looks for: phrases in quotation marks, which stand as they are, and single words. */
export interface Wanted {
  phrases: string[];
  words: string[];
}

const QUOTED = /["“”]([^"“”]+)["“”]/g;

export function wantedIn(query: string): Wanted {
  return {
    phrases: [...query.matchAll(QUOTED)].map(([, phrase]) => phrase!.trim()).filter(Boolean),
    words: query.replace(QUOTED, " ").match(/[\p{L}\p{N}]{2,}/gu) ?? [],
  };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");

/** A text in parts, alternately without and with words that are wanted. */
export function partsOf(text: string, { phrases, words }: Wanted): string[] {
  const each = [...phrases.map(escaped), ...words.map((word) => `(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`)];
  return each.length ? text.split(new RegExp(`(${each.join("|")})`, "giu")) : [text];
}

/** How many of the words stand in the text. */
export function wordsIn(text: string, { words }: Wanted): number {
  const there = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return words.filter((word) => there.has(word.toLowerCase())).length;
}

const BEFORE = 80;

/** The parts with the beginning cut, so that the first words that are wanted stand in sight. */
export function inSight(parts: readonly string[]): string[] {
  const [before = "", ...rest] = parts;
  return rest.length && before.length > BEFORE ? [`… ${before.slice(-BEFORE).replace(/^\S*\s+/, "")}`, ...rest] : [before, ...rest];
}
