import { type FormEvent, type ReactNode, useState } from "react";
import { count, plural } from "../format";
import { print } from "../print/printing";
import { go } from "../router";
import { Button, IconButton } from "../ui/Button";
import { Rename } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import type { Review } from "./types";

const STATUS = { draft: "not run yet", running: "running", done: "done", cancelled: "stopped" };

/** Documents that a column is tried on. */
export const FEW = 3;

/** Name and state of a review, what can be done with it, and the question that becomes a column. */
export function ReviewHead({ review, number, filtered, checked, asked, mayJudge, menu, onAsk, onName, onRun, onStop }: {
  review: Review; number: string;
  /** Documents that the filters show; null: all. */
  filtered: number | null;
  /** Cells that a person has judged. */
  checked: { checked: number; total: number };
  /** Documents that can be asked; cells that are not asked yet; cells with an answer, of those that are asked. */
  asked: { documents: number; unasked: number; done: number; total: number };
  /** Further buttons. */
  menu: ReactNode;
  mayJudge: boolean;
  /** `few`: puts the question to a few documents first. */
  onAsk: (question: string, few: boolean) => Promise<boolean>;
  onName: (name: string) => void; onRun: () => void; onStop: () => void;
}) {
  const [question, setQuestion] = useState("");
  const [asking, setAsking] = useState(false);
  const [naming, setNaming] = useState(false);
  async function add(event: FormEvent, few = false) {
    event.preventDefault();
    if (!question.trim() || !(await onAsk(question.trim(), few))) return;
    setQuestion("");
    setAsking(false);
  }
  const { columns } = review;
  const running = review.status === "running";
  const part = asked.total ? Math.round((100 * asked.done) / asked.total) : 0;
  return (
    <header className="@container border-b border-transparent px-5 py-3 short:px-3 short:py-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1 short:flex short:min-w-72 short:items-baseline short:gap-3">
          <div className="flex shrink-0 items-center gap-1">
            <button type="button" onClick={() => go({ at: "matters", matter: number })} className="flex min-h-6 items-center gap-1 text-sm text-accent"><Icon name="left" size={14} /> {number}</button>
            {mayJudge && <IconButton icon="pencil" size={15} label="Rename the review" className="!size-6 short:hidden" onClick={() => setNaming(true)} />}
          </div>
          <h1 className="truncate text-xl short:text-base" title={review.name}>{review.name}</h1>
          <p className="text-sm text-soft short:sr-only" role="status">
            {plural(review.documents, "document")}, {plural(columns.length, "column")}: {running ? `${count(asked.done)} of ${count(asked.total)} answered` : STATUS[review.status]}
            {asked.unasked > 0 && review.status !== "draft" && `, ${plural(asked.unasked, "cell")} not asked`}
            {checked.total > 0 && `. ${count(checked.checked)} of ${count(checked.total)} checked`}
            {filtered === null ? "" : `. Filters show ${plural(filtered, "document")}`}
          </p>
        </div>
        {mayJudge && <span className="hidden short:block"><Button aria-expanded={asking} onClick={() => setAsking(!asking)}><Icon name="plus" size={15} /> Column</Button></span>}
        <div className="flex flex-wrap items-center gap-2 @6xl:order-last">
          {menu}
          <IconButton icon="print" label="Print the review (Ctrl+P)" onClick={() => print({ of: "page" })} />
          {mayJudge && (running
            ? <Button onClick={onStop}><Icon name="stop" size={15} /> Stop</Button>
            : <Button kind="primary" disabled={!columns.length} onClick={onRun}><Icon name="redo" size={15} /> {asked.unasked > 0 && review.status !== "draft" ? "Ask the rest" : "Run"}</Button>)}
        </div>
        {mayJudge && (
          <form onSubmit={(event) => void add(event)} className={`flex min-w-0 basis-full flex-wrap gap-2 @6xl:min-w-72 @6xl:flex-1 @6xl:basis-0 ${asking ? "" : "short:hidden"}`}>
            <label htmlFor="new-column" className="sr-only">A question for a new column</label>
            <input id="new-column" value={question} maxLength={1000} onChange={(event) => setQuestion(event.target.value)} placeholder="Ask every document…" className="field !w-auto min-w-56 flex-1" />
            <Button type="submit" className="shrink-0" disabled={!question.trim()}><Icon name="plus" size={15} /> Add</Button>
            {asked.documents > FEW && <Button className="shrink-0 whitespace-nowrap" disabled={!question.trim()} title={`Puts the question to the first ${FEW} documents of the grid; “Ask the rest” goes on`} onClick={(event) => void add(event, true)}>{`Try on ${FEW}`}</Button>}
          </form>
        )}
      </div>
      {running && asked.total > 0 && (
        <div role="progressbar" aria-label="Answered of the review" aria-valuenow={part} aria-valuemin={0} aria-valuemax={100} className="mt-2 h-1 overflow-hidden rounded-full bg-sunk"><div className="h-full bg-accent" style={{ width: `${part}%` }} /></div>
      )}
      {naming && <Rename title="Rename this review" name={review.name} onClose={() => setNaming(false)} onSave={onName} />}
    </header>
  );
}
