import type { ReactNode } from "react";
import { day } from "../format";
import { shortName } from "../names";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { absenceOf, isQuoted, LOOKS, lookOf, placeOf, textOf } from "./standing";
import type { Cell, CellCitation, Column, Row } from "./types";

/** The chosen cell: value, quotations with their places, and a person's decision. */
export function CellDetail({ row, column, mayJudge, onSource, onAccept, onCorrect, onReject, onWithdraw }: {
  row: Row | undefined; column: Column | undefined; mayJudge: boolean; onSource: (citation: CellCitation) => void;
  onAccept: () => void; onCorrect: () => void; onReject: () => void; onWithdraw: () => void;
}) {
  if (!row || !column) return <Strip><p className="text-soft">Choose a cell to see its quotation. Arrows move; Enter opens the source; A accepts, E corrects, R rejects.</p></Strip>;
  const cell = row.cells.get(column.id);
  const look = lookOf(cell);
  // A sentence that is quoted beneath is not said twice.
  const value = cell && !cell.verdict && isQuoted(textOf(cell), cell.citations) ? "" : textOf(cell);
  const struck = look === "rejected" ? "line-through" : "";
  return (
    <Strip>
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-96 short:basis-full">
          <p className="text-xs text-soft"><span className="sr-only">Chosen: </span><span title={row.document.filename}>{shortName(row.document.filename)}</span> · {column.question}</p>
          <p className="font-medium"><span className={struck}>{value || absenceOf(cell)}</span> {(value || cell?.verdict) && <span className="font-normal text-soft">({LOOKS[look].name})</span>}</p>
          {cell && look !== "corrected" && cell.citations.map((citation) => (
            <button key={citation.id} type="button" onClick={() => onSource(citation)} className="block min-h-6 w-full rounded text-left font-serif hover:bg-wash">
              <span className={struck}>“{citation.quote.trim()}”</span> <span className="font-sans text-xs text-accent">{placeOf(citation)}</span>
            </button>
          ))}
          {cell && <Notes cell={cell} />}
        </div>
        {mayJudge && cell && (
          <div className="sticky top-0 -order-1 flex flex-wrap gap-2 bg-paper @4xl:static @4xl:order-none">
            <Button disabled={cell.state === "queued" || cell.state === "failed"} onClick={onAccept}><Icon name="check" size={15} /> Accept (A)</Button>
            <Button onClick={onCorrect}><Icon name="pencil" size={15} /> Correct (E)</Button>
            <Button disabled={cell.state === "queued" || cell.state === "failed"} onClick={onReject}><Icon name="close" size={15} /> Reject (R)</Button>
            {cell.verdict && <Button kind="quiet" onClick={onWithdraw}>Withdraw</Button>}
          </div>
        )}
      </div>
    </Strip>
  );
}

function Notes({ cell }: { cell: Cell }) {
  const notes = [
    cell.value?.conflict, cell.value?.computed ? `Computed: ${cell.value.computed}` : cell.note,
    cell.state === "not_found" && cell.read ? `Read: ${cell.read.pages ? `${cell.read.pages} pages` : `${cell.read.characters.toLocaleString()} characters`}.${cell.read.incomplete ? ` Not all of it: ${cell.read.incomplete}` : ""}` : "",
    cell.verdict ? `${LOOKS[cell.verdict.verdict].name} by ${cell.verdict.by ?? "somebody"}, ${day(cell.verdict.at)}${cell.verdict.current ? "" : ", of an earlier version or question"}${cell.verdict.note ? `: ${cell.verdict.note}` : ""}` : "",
    cell.engine ? `Answered by: ${[cell.engine, cell.model].filter(Boolean).join(", ")}` : "",
  ].filter(Boolean);
  return <p className="text-xs text-soft">{notes.join(" · ")}</p>;
}

const Strip = ({ children }: { children: ReactNode }) => <section aria-label="Chosen cell" className="scroll @container max-h-48 shrink-0 px-5 py-3 text-sm short:max-h-28 short:py-1.5" tabIndex={0}>{children}</section>;
