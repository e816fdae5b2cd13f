import { useMemo } from "react";
import type { Apart } from "./apart";
import { ApartWords } from "./KeptApart";
import { marked } from "./marks";
import type { Page } from "./pages";
import { type SheetRow, sheetRows } from "./sheetRows";

interface Marked {
  kind: "mark" | "hit";
  /** In the text of the document, in code points. */
  start: number;
  end: number;
}

/** A page of a format without layout, such as a worksheet or slide: its text, with lines of cells as tables. */
export function TextSheet({ page, words, apart = [] }: { page: Page; words: Marked | undefined; apart?: readonly Apart[] }) {
  const groups = useMemo(() => sheetRows(page.text), [page]);
  const [before, within] = words ? marked(page.text, page.start, words.start, words.end) : ["", ""];
  const draw = (cell: SheetRow[number]) => {
    const from = Math.max(0, before.length - cell.at);
    const to = before.length + within.length - cell.at;
    const found = cell.text.slice(from, Math.max(from, to));
    if (!words || !found) return cell.text;
    return <>{cell.text.slice(0, from)}<mark data-testid={words.kind}>{found}</mark>{cell.text.slice(from + found.length)}</>;
  };
  return (
    <div className="scroll min-h-64 overflow-x-auto bg-sheet px-6 py-5 font-serif text-[0.9375rem] leading-relaxed shadow-md" data-page={page.number} data-testid="text-sheet" tabIndex={0} role="group" aria-label={`Page ${page.number}`}>
      {groups.map(({ table, rows }, n) => table ? (
        <table key={n} className="my-2 border-collapse font-sans text-sm">
          <tbody>{rows.map((row, r) => <tr key={r}>{row.map((cell, c) => <td key={c} className="border border-rule px-2.5 py-1 align-top">{draw(cell)}</td>)}</tr>)}</tbody>
        </table>
      ) : rows.map((row, r) => <p key={`${n} ${r}`} className="min-h-[1em] whitespace-pre-wrap [overflow-wrap:anywhere]">{draw(row[0]!)}</p>))}
      <ApartWords entries={apart} placed />
    </div>
  );
}
