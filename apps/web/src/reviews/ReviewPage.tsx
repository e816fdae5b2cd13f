import { useCallback, useMemo, useState } from "react";
import { errorMessage, get, q } from "../api/http";
import type { Citation, Matter } from "../api/types";
import { Names } from "../names";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { CellDetail } from "./CellDetail";
import { Grid } from "./Grid";
import type { Order } from "./GridHead";
import type { Place } from "./GridRow";
import { PrintedReview } from "./PrintedReview";
import { ReviewHead } from "./ReviewHead";
import { filtered, sorted } from "./standing";
import type { Cell, CellCitation, Column } from "./types";
import { useReview } from "./useReview";

/** One review: the grid, the chosen cell, and the column that a typed question adds. */
export function ReviewPage({ matter, id, onCite }: { matter: Matter | undefined; id: string; onCite: (citation: Citation) => void }) {
  const number = matter?.number ?? "";
  const { review, rows, failure, judge, act } = useReview(number, id);
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const [order, setOrder] = useState<Order | null>(null);
  const [filters, setFilters] = useState<Record<string, string>>({});
  const [correcting, setCorrecting] = useState<{ cell: Cell; column: Column } | null>(null);
  const [trouble, setTrouble] = useState("");

  const shown = useMemo(() => {
    const held = filtered(rows, filters);
    return order ? sorted(held, order.column, order.descending) : held;
  }, [rows, filters, order]);
  const filenames = useMemo(() => rows.map((row) => row.document.filename).join("\n"), [rows]);
  const names = useMemo(() => new Names(filenames.split("\n")), [filenames]);
  const columns = review?.columns ?? [];
  const mayJudge = matter?.role === "owner" || matter?.role === "editor";
  const row = shown[place.row];
  const column = columns[place.column];
  const cell = column && row?.cells.get(column.id);

  const onOrder = useCallback((by: string) => setOrder((now) => (now?.column !== by ? { column: by, descending: false } : now.descending ? null : { column: by, descending: true })), []);
  const onFilter = useCallback((by: string, words: string) => {
    setFilters((now) => ({ ...now, [by]: words }));
    setPlace((now) => ({ ...now, row: 0 }));
  }, []);
  const source = useCallback(async (citation: CellCitation) => {
    setTrouble("");
    try {
      const found = await get<Omit<Citation, "citation_id" | "text">>(`/api/citations/${q(citation.id)}`);
      onCite({ ...found, citation_id: citation.id, text: citation.quote });
    } catch (error) {
      setTrouble(errorMessage(error));
    }
  }, [onCite]);

  const answered = cell && cell.state !== "queued" && cell.state !== "failed";
  const actions: Record<string, () => void> = {
    Enter: () => cell?.citations[0] && void source(cell.citations[0]),
    a: () => mayJudge && answered && void judge(cell, "accepted"),
    r: () => mayJudge && answered && void judge(cell, "rejected"),
    e: () => mayJudge && cell && column && setCorrecting({ cell, column }),
  };

  if (!review) return <div className="grid flex-1 place-items-center">{failure ? <Notice kind="error">{failure}</Notice> : <Spinner />}</div>;
  return (
    <>
    <PrintedReview review={review} rows={shown} of={rows.length} names={names} about={[number, matter?.title].filter(Boolean).join(" · ")} />
    <div data-noprint className="flex min-h-0 flex-1 flex-col">
      <ReviewHead review={review} number={number} filtered={shown.length < rows.length ? shown.length : null} mayJudge={mayJudge} onAsk={(question) => act("POST", "/columns", { columns: [{ question }] })}
        onRun={() => void act("POST", "/run", {})} onStop={() => void act("POST", "/cancel")} />
      {(failure || trouble) && <div className="px-5 pb-2"><Notice kind="error">{failure || trouble}</Notice></div>}
      {columns.length === 0 ? (
        <div className="grid flex-1 place-items-center"><Empty icon="list" title="No columns yet">Type a question above. It becomes a column: one answer from every document, with its quotation.</Empty></div>
      ) : (
        <>
          <Grid columns={columns} rows={shown} names={names} place={place} order={order} filters={filters} onPlace={setPlace} onOrder={onOrder} onFilter={onFilter} onKey={(key) => actions[key]?.()} />
          <CellDetail row={row} column={column} mayJudge={mayJudge} onSource={(citation) => void source(citation)} onAccept={() => actions.a?.()} onReject={() => actions.r?.()} onCorrect={() => actions.e?.()}
            onWithdraw={() => cell && void judge(cell, "none")} />
        </>
      )}
      {correcting && <Correction cell={correcting.cell} column={correcting.column} onClose={() => setCorrecting(null)} onSave={(text, note) => {
        void judge(correcting.cell, "corrected", { type: correcting.column.answer_type, text }, note);
        setCorrecting(null);
      }} />}
    </div>
    </>
  );
}

function Correction({ cell, column, onClose, onSave }: { cell: Cell; column: Column; onClose: () => void; onSave: (text: string, note: string) => void }) {
  const [text, setText] = useState(cell.value?.text ?? "");
  const [note, setNote] = useState(cell.verdict?.note ?? "");
  return (
    <Dialog title={`Correct: ${column.title}`} onClose={onClose}>
      <form className="space-y-4" onSubmit={(event) => { event.preventDefault(); if (text.trim()) onSave(text.trim(), note.trim()); }}>
        <div>
          <label htmlFor="right-value" className="mb-1 block text-sm font-medium">Value</label>
          <input id="right-value" autoFocus value={text} maxLength={2000} onChange={(event) => setText(event.target.value)} className="field" />
        </div>
        <div>
          <label htmlFor="right-note" className="mb-1 block text-sm font-medium">Note</label>
          <input id="right-note" value={note} maxLength={2000} onChange={(event) => setNote(event.target.value)} className="field" />
        </div>
        <p className="text-sm text-soft">A corrected value has no quotation, and says so wherever it is shown.</p>
        <div className="flex justify-end gap-2"><Button onClick={onClose}>Cancel</Button><Button kind="primary" type="submit" disabled={!text.trim()}>Save</Button></div>
      </form>
    </Dialog>
  );
}
