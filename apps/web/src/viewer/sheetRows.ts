/** A line of a text with its cells; `at`: where a cell begins in the text, in UTF-16 units. */
export type SheetRow = { text: string; at: number }[];

/** The lines of a text in groups: tables (lines with tabs) and paragraphs. */
export function sheetRows(text: string): { table: boolean; rows: SheetRow[] }[] {
  const groups: { table: boolean; rows: SheetRow[] }[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const row: SheetRow = [];
    for (const cell of line.split("\t")) {
      row.push({ text: cell, at });
      at += cell.length + 1;
    }
    const table = row.length > 1;
    const last = groups.at(-1);
    if (last?.table === table) last.rows.push(row);
    else groups.push({ table, rows: [row] });
  }
  return groups;
}
