/** Names for people: without extension, underscores, dates of filing and marks of exhibits; capitals only at the beginning of words. */
export function shortName(filename: string): string {
  const base = filename.replace(/\.[A-Za-z0-9]{1,5}$/, "");
  const parts = base
    .replaceAll("_", " ")
    .replace(/\b\d{1,2} \d{1,2} \d{4}\b|\b(?:19|20)\d{6}\b/g, " ")
    .split(/\s*-\s*(?=EX\b)|(?<=\bEX-?\d[\d.]*)\s*-\s*/i)
    .map((part) => part.replace(/\bEX-?\d[\d.]*\b/gi, " ").replace(/\s+/g, " ").replace(/^[\s\-–,.]+|[\s\-–,]+$/g, ""))
    .filter(Boolean);
  return parts.map(withoutShouting).join(" – ") || base;
}

const SMALL = /^(?:and|of|the|for|to|in|on|by|or|with|between|an?)$/;

/** Where most letters are capitals, long words get them at their beginning only. A short name may be an abbreviation and stays. */
export function withoutShouting(text: string): string {
  const letters = text.replace(/[^A-Za-z]/g, "");
  const capitals = letters.replace(/[^A-Z]/g, "").length;
  if (letters.length < 5 || capitals < 0.7 * letters.length) return text;
  return text.replace(/[A-Za-z]+/g, (word, at: number) => {
    if (word !== word.toUpperCase()) return word;
    const low = word.toLowerCase();
    return at > 0 && SMALL.test(low) ? low : word[0]! + low.slice(1);
  });
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether people who say `said` may mean this document: all its words stand in the document's name, and more than one or the whole. */
export function isNameOf(said: string, filename: string): boolean {
  const meant = words(said.replace(/:$/, "")).filter((word) => !SMALL.test(word));
  const name = new Set([...words(filename), ...words(shortName(filename))]);
  return meant.length > 0 && meant.every((word) => name.has(word)) && (meant.length > 1 || meant.length === words(shortName(filename)).length || words(filename).length <= 2);
}

const QUOTED = /(“[^“”]*”)/;

/** Names of documents as people write them. A name that two documents would share stays whole. */
export class Names {
  readonly #short: ReadonlyMap<string, string>;
  readonly #longestFirst: readonly string[];

  constructor(filenames: Iterable<string>) {
    const shorts = [...new Set(filenames)].map((filename) => [filename, shortName(filename)] as const);
    const uses = new Map<string, number>();
    for (const [, short] of shorts) uses.set(short, (uses.get(short) ?? 0) + 1);
    this.#short = new Map(shorts.map(([filename, short]) => [filename, uses.get(short)! > 1 ? filename : short]));
    this.#longestFirst = [...this.#short.keys()].sort((a, b) => b.length - a.length);
  }

  of(filename: string): string {
    return this.#short.get(filename) ?? shortName(filename);
  }

  /** The text with short names outside of quotations. */
  in(text: string): string {
    const there = this.#longestFirst.filter((filename) => text.includes(filename));
    if (!there.length) return text;
    return text.split(QUOTED).map((part, n) => (n % 2 ? part : there.reduce((said, filename) => said.replaceAll(filename, this.of(filename)), part))).join("");
  }
}
