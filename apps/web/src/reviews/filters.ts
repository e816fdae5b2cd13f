import { type Look, LOOKS, lookOf, textOf, valueOf } from "./standing";
import type { Row, Value } from "./types";

/** A filter of a column as it is typed and kept: "rent" contains, "= 90 days" is, "!= 90 days" is not, "< 2027-06-30" before or less, "> 3" after or more, "empty", "filled", "state: failed". */
export type Test =
  | { kind: "contains" | "is" | "is not" | "less" | "more"; words: string }
  | { kind: "empty" }
  | { kind: "filled" }
  | { kind: "state"; looks: Look[] };

export const SIGNS = { contains: "", is: "= ", "is not": "!= ", less: "< ", more: "> " } as const;
const FORM = /^(=|!=|≠|<|>)\s*(.+)$/;
const KINDS = { "=": "is", "!=": "is not", "≠": "is not", "<": "less", ">": "more" } as const;
const STATE = /^state:\s*(.*)$/;

export function testOf(filter: string): Test | null {
  const typed = filter.trim();
  if (!typed) return null;
  const lower = typed.toLowerCase();
  if (lower === "empty") return { kind: "empty" };
  if (lower === "filled") return { kind: "filled" };
  const states = STATE.exec(lower);
  if (states) return { kind: "state", looks: states[1]!.split(/[\s,]+/).filter((look): look is Look => look in LOOKS) };
  const formed = FORM.exec(typed);
  return formed ? { kind: KINDS[formed[1] as keyof typeof KINDS], words: formed[2]!.trim() } : { kind: "contains", words: lower };
}

export const filterOf = (test: Test): string => (test.kind === "state" ? `state: ${test.looks.join(", ")}` : "words" in test ? `${SIGNS[test.kind]}${test.words}` : test.kind);

const DAYS: readonly (readonly [RegExp, number])[] = [[/day/, 1], [/week/, 7], [/month/, 30.4375], [/year/, 365.25]];

const ROUNDING = 0.02;

/** What a typed value is compared by: days of a period, a date as ISO 8601, a number; null where there is no order. */
function typedKey(words: string, value: Value): number | string | null {
  if (value.type === "date") {
    if (/^\d{4}(?:-\d\d(?:-\d\d)?)?$/.test(words)) return words;
    const date = new Date(`${words} UTC`);
    return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10);
  }
  if (typeof value.number !== "number") return null;
  const number = Number(/-?[\d,]*\.?\d+/.exec(words)?.[0].replaceAll(",", "") ?? NaN);
  if (Number.isNaN(number)) return null;
  const unit = value.type === "duration" ? DAYS.find(([name]) => name.test(words.toLowerCase()))?.[1] : 1;
  return number * (unit ?? 1);
}

const keyOf = (value: Value): number | string | null => (value.type === "date" ? value.iso : value.number) ?? null;

function passes(test: Test, row: Row, column: string): boolean {
  if (column === "") {
    const name = row.document.filename.toLowerCase();
    return test.kind === "empty" || test.kind === "filled" || test.kind === "state" || (test.kind === "is" ? name === test.words.toLowerCase() : test.kind === "is not" ? !name.includes(test.words.toLowerCase()) : name.includes(test.words.toLowerCase()));
  }
  const cell = row.cells.get(column);
  const look = lookOf(cell);
  if (test.kind === "state") return test.looks.includes(look);
  const value = valueOf(cell);
  if (test.kind === "empty" || test.kind === "filled") return Boolean(value) === (test.kind === "filled");
  const words = test.words.toLowerCase();
  if (test.kind === "contains") return textOf(cell).toLowerCase().includes(words) || LOOKS[look].name.includes(words);
  if (test.kind === "is") return textOf(cell).toLowerCase() === words;
  if (test.kind === "is not") return textOf(cell).toLowerCase() !== words;
  const [mine, typed] = value ? [keyOf(value), typedKey(test.words, value)] : [null, null];
  if (mine === null || typed === null || typeof mine !== typeof typed) return false;
  if (typeof mine === "string" || typeof typed === "string") return test.kind === "less" ? mine < typed : mine > typed;
  // Months and years have no one number of days.
  const about = value?.type === "duration" ? ROUNDING * typed : 0;
  return test.kind === "less" ? mine < typed - about : mine > typed + about;
}

/** Rows that pass the filters of all columns ("": the name of the document). */
export function filtered(rows: readonly Row[], filters: Readonly<Record<string, string>>): Row[] {
  const tests = Object.entries(filters).flatMap(([column, filter]) => {
    const test = testOf(filter);
    return test ? [[column, test] as const] : [];
  });
  return tests.length ? rows.filter((row) => tests.every(([column, test]) => passes(test, row, column))) : [...rows];
}

/** Filters to choose from, for those who do not know the signs. */
export const SUGGESTIONS: readonly (readonly [string, string])[] = [
  ["empty", "without a value"], ["filled", "with a value"], ["= ", "is"], ["!= ", "is not"], ["< ", "before, less than"], ["> ", "after, more than"],
  ...Object.entries(LOOKS).map(([look, { name }]) => [`state: ${look}`, name] as const),
];
