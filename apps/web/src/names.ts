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
function withoutShouting(text: string): string {
  const letters = text.replace(/[^A-Za-z]/g, "");
  const capitals = letters.replace(/[^A-Z]/g, "").length;
  if (letters.length < 5 || capitals < 0.7 * letters.length) return text;
  return text.replace(/[A-Za-z]+/g, (word, at: number) => {
    if (word !== word.toUpperCase()) return word;
    const low = word.toLowerCase();
    return at > 0 && SMALL.test(low) ? low : word[0]! + low.slice(1);
  });
}
