import { today, usePrinted } from "../print/printing";
import { PrintHead } from "../print/PrintHead";
import { plural } from "../format";
import type { Names } from "../names";
import { absenceOf, isQuoted, LOOKS, lookOf, placeOf, textOf } from "./standing";
import type { Cell, Column, Review, Row } from "./types";

/** Columns beside the documents' names that are legible on one page. */
const AT_ONCE = 5;
const LONGEST_QUOTE = 400;

/** The whole review for paper, in the order and with the filters of the page: values, signs and quotations. Nothing on the screen. */
export function PrintedReview({ review, rows, of, names, about }: { review: Review; rows: readonly Row[]; of: number; names: Names; about: string }) {
  const printed = usePrinted();
  if (printed?.of !== "page") return null;
  const parts = Array.from({ length: Math.ceil(review.columns.length / AT_ONCE) }, (_, n) => review.columns.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
  const signs = new Set(rows.flatMap((row) => review.columns.map((column) => (row.document.current_revision_id ? lookOf(row.cells.get(column.id)) : "not_found"))));
  return (
    <div className="hidden print:block" data-testid="printed-review">
      <PrintHead wide title={review.name} about={[about, rows.length < of ? `${rows.length} of ${plural(of, "document")}, as filtered` : plural(of, "document")].join(" · ")} />
      {parts.map((columns, n) => (
        <table key={columns[0]!.id} className={`w-full table-fixed border-collapse text-[8.5pt] leading-snug ${n ? "break-before-page" : ""}`}>
          <caption className="sr-only">{`${review.name}, ${today()}`}</caption>
          <thead>
            <tr>
              <th scope="col" className="w-[16%] border border-edge/60 bg-sunk px-2 py-1 text-left font-sans font-semibold">Document</th>
              {columns.map((column) => <th key={column.id} scope="col" className="border border-edge/60 bg-sunk px-2 py-1 text-left font-sans font-semibold">{column.title}</th>)}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.document.id} className="break-inside-avoid">
                <th scope="row" className="border border-edge/60 px-2 py-1 text-left align-top font-medium [overflow-wrap:anywhere]">
                  {names.of(row.document.filename)}
                  {!row.document.current_revision_id && <span className="block font-normal text-soft">not read{row.document.status_reason ? `: ${row.document.status_reason}` : ""}</span>}
                </th>
                {columns.map((column) => <td key={column.id} className="border border-edge/60 px-2 py-1 align-top [overflow-wrap:anywhere]">{row.document.current_revision_id ? <Printed cell={row.cells.get(column.id)} /> : "–"}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      <dl className="mt-4 flex flex-wrap gap-x-5 text-[8.5pt] text-soft">
        {Object.entries(LOOKS).filter(([look, { sign }]) => sign && signs.has(look as keyof typeof LOOKS)).map(([look, { sign, name }]) => (
          <div key={look} className="flex gap-1.5"><dt>{sign}</dt><dd>{name}</dd></div>
        ))}
      </dl>
      <ol className="mt-2 list-none text-[8.5pt] text-soft">{review.columns.map((column: Column) => <li key={column.id}>{`${column.title}: ${column.question}`}</li>)}</ol>
    </div>
  );
}

function Printed({ cell }: { cell: Cell | undefined }) {
  const look = lookOf(cell);
  const { sign, name } = LOOKS[look];
  const value = textOf(cell);
  const [citation] = look === "corrected" ? [] : (cell?.citations ?? []);
  const text = citation && isQuoted(value, [citation]) ? name : value || (look === "accepted" || look === "rejected" ? absenceOf(cell) : name);
  return (
    <>
      <p className={`font-medium ${look === "rejected" ? "line-through" : ""}`}>{sign && <span className="inline-block min-w-4">{sign}</span>}{text}</p>
      {citation && <p className={`font-serif ${look === "rejected" ? "line-through" : ""}`}>“{shortened(citation.quote.trim())}” <span className="text-soft">{placeOf(citation)}</span></p>}
      {cell?.verdict?.note && <p className="text-soft italic">{cell.verdict.note}</p>}
    </>
  );
}

const shortened = (text: string): string => (text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE).replace(/\s+\S*$/, "")} …` : text);
