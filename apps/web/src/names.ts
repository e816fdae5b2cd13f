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

/** Shouted names of several words become words with capitals at their beginning; short ones may be abbreviations and stay. */
function withoutShouting(text: string): string {
  const letters = text.replace(/[^A-Za-z]/g, "");
  if (letters.length < 5 || letters !== letters.toUpperCase()) return text;
  return text.toLowerCase().replace(/(^|[\s\-–(&/])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/(?<=\s)(?:And|Of|The|For|To|In|On|By|Or|With|Between)(?=\s)/g, (word) => word.toLowerCase());
}
