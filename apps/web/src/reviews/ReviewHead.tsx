import { type FormEvent, type ReactNode, useState } from "react";
import { count, plural } from "../format";
import { print } from "../print/printing";
import { go } from "../router";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { Review } from "./types";

const STATUS = { draft: "not run yet", running: "running", done: "done", cancelled: "stopped" };

/** Name and state of a review, what can be done with it, and the question that becomes a column. */
export function ReviewHead({ review, number, filtered, checked, mayJudge, menu, onAsk, onRun, onStop }: {
  review: Review; number: string;
  /** Documents that the filters show; null: all. */
  filtered: number | null;
  /** Cells that a person has judged. */
  checked: { checked: number; total: number };
  /** Further buttons. */
  menu: ReactNode;
  mayJudge: boolean; onAsk: (question: string) => Promise<boolean>; onRun: () => void; onStop: () => void;
}) {
  const [question, setQuestion] = useState("");
  const [asking, setAsking] = useState(false);
  async function add(event: FormEvent) {
    event.preventDefault();
    if (!question.trim() || !(await onAsk(question.trim()))) return;
    setQuestion("");
    setAsking(false);
  }
  const { columns } = review;
  return (
    <header className="@container border-b border-transparent px-5 py-3 short:px-3 short:py-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1 short:flex short:min-w-0 short:items-baseline short:gap-3">
          <button type="button" onClick={() => go({ at: "matters", matter: number })} className="flex shrink-0 items-center gap-1 text-sm text-accent"><Icon name="left" size={14} /> {number}</button>
          <h1 className="truncate text-xl short:text-base" title={review.name}>{review.name}</h1>
          <p className="text-sm text-soft short:sr-only" role="status">
            {plural(review.documents, "document")}, {plural(columns.length, "column")}: {STATUS[review.status]}{review.waiting ? `, ${plural(review.waiting, "cell")} waiting` : ""}
            {checked.total > 0 && `. ${count(checked.checked)} of ${count(checked.total)} checked`}
            {filtered === null ? "" : `. Filters show ${plural(filtered, "document")}`}
          </p>
        </div>
        {mayJudge && <span className="hidden short:block"><Button aria-expanded={asking} onClick={() => setAsking(!asking)}><Icon name="plus" size={15} /> Column</Button></span>}
        <div className="flex flex-wrap items-center gap-2 @6xl:order-last">
          {menu}
          <IconButton icon="print" label="Print the review (Ctrl+P)" onClick={() => print({ of: "page" })} />
          {mayJudge && (review.status === "running"
            ? <Button onClick={onStop}><Icon name="stop" size={15} /> Stop</Button>
            : <Button kind="primary" disabled={!columns.length} onClick={onRun}><Icon name="redo" size={15} /> Run</Button>)}
        </div>
        {mayJudge && (
          <form onSubmit={(event) => void add(event)} className={`flex min-w-0 basis-full gap-2 @6xl:min-w-72 @6xl:flex-1 @6xl:basis-0 ${asking ? "" : "short:hidden"}`}>
            <label htmlFor="new-column" className="sr-only">A question for a new column</label>
            <input id="new-column" value={question} maxLength={1000} onChange={(event) => setQuestion(event.target.value)} placeholder="Ask every document…" className="field" />
            <Button type="submit" disabled={!question.trim()}><Icon name="plus" size={15} /> Add</Button>
          </form>
        )}
      </div>
    </header>
  );
}
