import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { change, errorMessage, get, q } from "../api/http";
import type { Citation, Matter } from "../api/types";
import { Names } from "../names";
import { go, keepInAddress, keptInAddress, showSource, useSource } from "../router";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { CellDetail } from "./CellDetail";
import { ColumnDialog } from "./ColumnDialog";
import { keepWidths, keptWidths } from "./columnsLayout";
import { Correction } from "./Correction";
import { filtered } from "./filters";
import { Grid } from "./Grid";
import type { Order } from "./GridHead";
import type { Place } from "./GridRow";
import { PrintedReview } from "./PrintedReview";
import { FEW, ReviewHead } from "./ReviewHead";
import { ReviewMenu } from "./ReviewMenu";
import { asked as askedOf, checkedOf, sorted } from "./standing";
import type { CellCitation, Column } from "./types";
import { useReview } from "./useReview";

/** In place of a column's id: the name of the document. */
const NAME = "name";
/** Before the id of a column in the address. */
const FILTER = "filter.";
interface Chosen { document: string | null; column: string | null }
const NO_COLUMNS: readonly Column[] = [];

/** One review: the grid, the chosen cell, and the column that a typed question adds. */
export function ReviewPage({ matter, id, onCite }: { matter: Matter | undefined; id: string; onCite: (citation: Citation) => void }) {
  const number = matter?.number ?? "";
  const { review, rows, failure, reload, doing, judge, act } = useReview(number, id);
  const [chosen, setChosen] = useState<Chosen>(() => {
    const [document = null, column = null] = keptInAddress().get("cell")?.split(" ") ?? [];
    return { document, column };
  });
  const [order, setOrder] = useState<Order | null>(() => {
    const kept = keptInAddress().get("sort");
    return kept === null ? null : { column: kept.replace(/^-/, ""), descending: kept.startsWith("-") };
  });
  const [filters, setFilters] = useState<Record<string, string>>(() => Object.fromEntries([...keptInAddress()].filter(([key]) => key.startsWith(FILTER)).map(([key, words]) => [key.slice(FILTER.length), words])));
  const shownSource = useSource();
  useEffect(() => {
    const kept = new URLSearchParams();
    if (chosen.document) kept.set("cell", [chosen.document, chosen.column].filter(Boolean).join(" "));
    if (order) kept.set("sort", `${order.descending ? "-" : ""}${order.column}`);
    for (const [column, words] of Object.entries(filters)) if (words.trim()) kept.set(FILTER + column, words);
    keepInAddress(kept);
  }, [chosen, order, filters, shownSource]);
  const [correcting, setCorrecting] = useState<{ cell: string; column: Column } | null>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const [trouble, setTrouble] = useState("");

  const shown = useMemo(() => {
    const held = filtered(rows, filters);
    return order ? sorted(held, order.column, order.descending) : held;
  }, [rows, filters, order]);
  const filenames = useMemo(() => rows.map((row) => row.document.filename).join("\n"), [rows]);
  const names = useMemo(() => new Names(filenames.split("\n")), [filenames]);
  const columns = review?.columns ?? NO_COLUMNS;
  const mayJudge = matter?.role === "owner" || matter?.role === "editor";
  // What is chosen stays chosen wherever a filter, an order or a new column puts it; what a filter hides gives way to the first row.
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>(() => keptWidths(id));
  const onWidth = useCallback((column: string, width: number) => setWidths((now) => keepWidths(id, { ...now, [column]: width })), [id]);
  const place = useMemo<Place>(() => ({
    row: Math.max(0, shown.findIndex((row) => row.document.id === chosen.document)),
    column: chosen.column === NAME ? -1 : Math.max(0, columns.findIndex((column) => column.id === chosen.column)),
  }), [shown, columns, chosen]);
  const latest = useRef({ shown, columns });
  latest.current = { shown, columns };
  const setPlace = useCallback(({ row, column }: Place) => {
    const { shown, columns } = latest.current;
    setChosen({ document: shown[row]?.document.id ?? null, column: column < 0 ? NAME : (columns[column]?.id ?? null) });
  }, []);
  const row = shown[place.row];
  const column = columns[place.column];
  const cell = column && row?.cells.get(column.id);

  const pin = useCallback(() => setChosen((now) => (now.document ? now : { document: latest.current.shown[0]?.document.id ?? null, column: now.column })), []);
  const onOrder = useCallback((by: string) => (pin(), setOrder((now) => (now?.column !== by ? { column: by, descending: false } : now.descending ? null : { column: by, descending: true }))), [pin]);
  const onFilter = useCallback((by: string, words: string) => (pin(), setFilters((now) => ({ ...now, [by]: words }))), [pin]);
  const source = useCallback(async (citation: CellCitation) => {
    setTrouble("");
    try {
      const found = await get<Omit<Citation, "citation_id" | "text">>(`/api/citations/${q(citation.id)}`);
      onCite({ ...found, citation_id: citation.id, text: citation.quote });
    } catch (error) {
      setTrouble(errorMessage(error));
    }
  }, [onCite]);

  const checked = useMemo(() => checkedOf(rows), [rows]);
  const asked = useMemo(() => askedOf(rows, columns), [rows, columns]);
  const address = `/api/matters/${q(number)}/reviews/${q(id)}`;
  const editColumn = useCallback((column: string) => setEditing(column), []);
  const reorder = useCallback((ids: readonly string[]) => act("PATCH", "", { columns: ids }), [act]);
  const moveColumn = useCallback((column: string, before: string) => {
    const ids = latest.current.columns.map(({ id }) => id);
    const back = ids.indexOf(column) < ids.indexOf(before);
    const rest = ids.filter((id) => id !== column);
    rest.splice(rest.indexOf(before) + (back ? 1 : 0), 0, column);
    void reorder(rest);
  }, [reorder]);
  const placeColumn = (column: string, place: number) => {
    const rest = columns.map(({ id }) => id).filter((id) => id !== column);
    rest.splice(place, 0, column);
    return reorder(rest).then((done) => (done ? "" : "The columns could not be put into this order."));
  };
  const few = shown.filter((row) => row.document.current_revision_id).slice(0, FEW).map((row) => row.document.id);
  const edited = columns.find((column) => column.id === editing);
  const changed = (work: Promise<unknown>) => work.then(() => reload().then(() => ""), errorMessage);
  const corrected = correcting && rows.flatMap((row) => [...row.cells.values()]).find((cell) => cell.id === correcting.cell);
  const answered = cell && cell.state !== "queued" && cell.state !== "failed";
  const actions: Record<string, () => void> = {
    Enter: () => (cell?.citations[0] ? void source(cell.citations[0]) : row?.document.current_revision_id && showSource({ document: row.document.id, page: null, citation: null, words: null })),
    a: () => mayJudge && answered && void doing(() => judge(cell, "accepted")),
    r: () => mayJudge && answered && void doing(() => judge(cell, "rejected")),
    e: () => mayJudge && cell && column && setCorrecting({ cell: cell.id, column }),
  };

  if (!review) return <div className="grid flex-1 place-items-center">{failure ? <Notice kind="error">{failure}</Notice> : <Spinner />}</div>;
  return (
    <>
    <PrintedReview review={review} rows={shown} of={rows.length} names={names} about={[number, matter?.title].filter(Boolean).join(" · ")} />
    <div data-noprint className="flex min-h-0 flex-1 flex-col">
      <ReviewHead review={review} number={number} filtered={shown.length < rows.length ? shown.length : null} checked={checked} asked={asked} mayJudge={mayJudge}
        menu={<ReviewMenu review={review} matter={number} mayJudge={mayJudge} onColumns={(columns) => act("POST", "/columns", { columns })}
          onDelete={() => void doing(async () => { await change("DELETE", address); go({ at: "matters", matter: number, tab: "reviews" }); })} />}
        onAsk={(question, onlyFew) => act("POST", "/columns", { columns: [{ question, ...(onlyFew ? { document_ids: few } : {}) }] })} onName={(name) => void act("PATCH", "", { name })}
        onRun={() => void act("POST", "/run", {})} onStop={() => void act("POST", "/cancel")} />
      {(failure || trouble) && <div className="px-5 pb-2"><Notice kind="error">{failure || trouble}</Notice></div>}
      {columns.length === 0 ? (
        <div className="grid flex-1 place-items-center"><Empty icon="list" title="No columns yet">Type a question above. It becomes a column: one answer from every document, with its quotation.</Empty></div>
      ) : (
        <>
          <Grid columns={columns} rows={shown} names={names} place={place} order={order} filters={filters} onPlace={setPlace} onOrder={onOrder} onFilter={onFilter} onEdit={mayJudge ? editColumn : undefined} onMove={mayJudge ? moveColumn : undefined} documents={asked.documents} widths={widths} onWidth={onWidth} onKey={(key) => actions[key]?.()} />
          {shown.length === 0 && rows.length > 0 && <p className="flex flex-wrap items-center gap-3 px-5 py-2 text-sm">No document passes the filters. <Button onClick={() => setFilters({})}>Clear the filters</Button></p>}
          <CellDetail row={row} column={column} mayJudge={mayJudge} onSource={(citation) => void source(citation)} onAccept={() => actions.a?.()} onReject={() => actions.r?.()} onCorrect={() => actions.e?.()}
            onWithdraw={() => cell && void doing(() => judge(cell, "none"))} />
        </>
      )}
      {edited && (
        <ColumnDialog column={edited} columns={columns} onClose={() => setEditing(null)} onPlace={(place) => placeColumn(edited.id, place)} onSave={(changes) => changed(change("PATCH", `${address}/columns/${q(edited.id)}`, changes))} onRemove={() => changed(change("DELETE", `${address}/columns/${q(edited.id)}`))} />
      )}
      {correcting && corrected && (
        <Correction cell={corrected} column={correcting.column} onClose={() => setCorrecting(null)}
          onSave={(text, note) => judge(corrected, "corrected", { type: correcting.column.answer_type, text }, note).then(() => "", errorMessage)} />
      )}
    </div>
    </>
  );
}
