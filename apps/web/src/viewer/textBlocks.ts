import type { SheetRow } from "./sheetRows";

/** Lines of a text that are drawn together: a table (lines with tabs) or up to some lines of prose. In UTF-16 units. */
export interface TextBlock {
  kind: "table" | "lines";
  from: number;
  to: number;
  rows: SheetRow[];
}

/** Blocks that are not in sight are not laid out, so they are small. */
const MOST_LINES = 20;

/** A table has more than one row with cells; a single line with a tab is an indented line. `starts`: where sections begin, and with them blocks. */
export function textBlocks(text: string, starts: ReadonlySet<number>): TextBlock[] {
  const blocks: TextBlock[] = [];
  const lines: SheetRow[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    let from = at;
    lines.push(line.split("\t").map((cell) => {
      const piece = { text: cell, at: from };
      from += cell.length + 1;
      return piece;
    }));
    at += line.length + 1;
  }
  const isTabular = (n: number): boolean => (lines[n]?.filter(({ text }) => text.trim()).length ?? 0) > 1;
  for (let n = 0; n < lines.length; n += 1) {
    const row = lines[n]!;
    const table = isTabular(n) && (isTabular(n - 1) || isTabular(n + 1));
    const last = blocks.at(-1);
    const end = row.at(-1)!.at + row.at(-1)!.text.length + 1;
    // A line is one piece of text, with its tabs.
    const drawn = table ? row : [{ text: row.map((cell) => cell.text).join("\t"), at: row[0]!.at }];
    const goesOn = last && last.kind === (table ? "table" : "lines") && !starts.has(row[0]!.at) && (table || last.rows.length < MOST_LINES);
    if (goesOn) {
      last.rows.push(drawn);
      last.to = end;
    } else blocks.push({ kind: table ? "table" : "lines", from: row[0]!.at, to: end, rows: [drawn] });
  }
  return blocks;
}
