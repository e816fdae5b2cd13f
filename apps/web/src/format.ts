/** Formats dates and sizes in the browser's locale; default: Australian English. */
const LOCALE = globalThis.navigator?.language || "en-AU";

const DAY = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });
const NUMBER = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });

export const day = (iso: string): string => DAY.format(new Date(iso));
export const moment = (iso: string): string => MOMENT.format(new Date(iso));
export const count = (n: number): string => NUMBER.format(n);

const VALUE_DAY = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
const UNITS = { Y: "year", M: "month", W: "week", D: "day" } as const;

const VALUE_MONTH = new Intl.DateTimeFormat(LOCALE, { month: "long", year: "numeric", timeZone: "UTC" });

/** A value that a text states, as people write it: dates, months and periods in ISO 8601 are spelt out. */
export function valueText(value: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return VALUE_DAY.format(new Date(`${value}T00:00:00Z`));
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(value)) return VALUE_MONTH.format(new Date(`${value}-01T00:00:00Z`));
  const period = /^P(\d+)([YMWD])$/.exec(value);
  return period ? plural(Number(period[1]), UNITS[period[2] as keyof typeof UNITS]) : value;
}

export function ago(iso: string, now = Date.now()): string {
  const minutes = (new Date(iso).getTime() - now) / 60_000;
  if (minutes > -1) return "just now";
  if (minutes > -60) return RELATIVE.format(Math.min(0, Math.round(minutes)), "minute");
  if (minutes > -60 * 24) return RELATIVE.format(Math.round(minutes / 60), "hour");
  if (minutes > -60 * 24 * 7) return RELATIVE.format(Math.round(minutes / 60 / 24), "day");
  return day(iso);
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${NUMBER.format(bytes)} B`;
  if (bytes < 1e6) return `${NUMBER.format(Math.round(bytes / 1e3))} kB`;
  if (bytes < 1e9) return `${NUMBER.format(bytes / 1e6)} MB`;
  return `${NUMBER.format(bytes / 1e9)} GB`;
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

const TYPES: Record<string, string> = {
  "application/pdf": "PDF",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
  "application/msword": "Word 97",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
  "message/rfc822": "E-mail",
  "application/vnd.ms-outlook": "E-mail",
  "application/rtf": "RTF",
  "text/rtf": "RTF",
  "text/plain": "Text",
  "text/markdown": "Markdown",
  "text/html": "HTML",
  "text/csv": "CSV",
};

export function typeName(contentType: string, filename: string): string {
  const known = TYPES[contentType.split(";")[0] ?? ""];
  if (known) return known;
  if (contentType.startsWith("image/")) return "Image";
  const ending = filename.includes(".") ? filename.split(".").pop() : "";
  return ending ? ending.toUpperCase().slice(0, 5) : "File";
}

/** Display name of a section, by the server's rule: "Section 12.1 (Termination)", "Schedule 2 (Fees)", "Recitals". */
export function sectionName(label: string | null | undefined, title: string | null | undefined): string {
  if (!label) return title ?? "";
  if (label.startsWith("[")) return label;
  const named = OWN_WORD.test(label) ? label : `Section ${label}`;
  return title ? `${named} (${title})` : named;
}

const OWN_WORD = /^(?:schedule|annex|appendix|attachment|exhibit|article|part|chapter|(?:sub)?division)/i;
