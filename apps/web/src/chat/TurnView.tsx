import { memo, type ReactNode, useState } from "react";
import type { Citation } from "../api/types";
import { Answer, type Asked } from "./answer/Answer";
import { checksOf } from "./answer/checks";
import { Button, IconButton } from "../ui/Button";
import { Icon, Spinner } from "../ui/Icon";
import { print } from "../print/printing";
import { NotifyOffer } from "../ui/NotifyOffer";
import { issueMarks } from "./Markdown";
import type { Status } from "./run/snapshot";
import { type Message, textOf } from "./run/messages";
import type { Todo } from "./state";
import { SubagentCard } from "./SubagentCard";
import { Todos } from "./Todos";
import { callsOf, described, marksOf, repliesIn, type Turn } from "./turns";

const LONG_S = 8;

export interface TurnActions {
  cite: (citation: Citation) => void;
  retry: (messageId: string | undefined, text: string) => void;
  edit: (messageId: string | undefined, text: string) => void;
  /** Asks these documents, which were not asked. */
  askRest: (text: string, ids: string[]) => void;
}

interface Props {
  turn: Turn;
  live: boolean;
  /** What the run is doing. */
  status: Status | null;
  last: boolean;
  /** Whether the turn ended without an answer or an error message. */
  stopped: boolean;
  /** Whether its answer was stopped while it was written. */
  cut: boolean;
  todos: Todo[];
  citations: ReadonlyMap<number, Citation>;
  asked: Asked;
  /** The turn before, if it has the same question. */
  earlier: Turn | undefined;
  /** Messages of each delegated task, by its description. */
  work: ReadonlyMap<string, readonly Message[]>;
  showWork: boolean;
  actions: TurnActions;
  /** What the run asks or tells, beneath its question. */
  children?: ReactNode;
}

const same = (a: Props, b: Props) =>
  a.turn.question === b.turn.question && a.turn.steps.length === b.turn.steps.length && a.turn.steps.every((step, n) => step === b.turn.steps[n]) &&
  a.live === b.live && a.status === b.status && a.last === b.last && a.stopped === b.stopped && a.cut === b.cut && a.todos === b.todos && a.citations === b.citations && a.showWork === b.showWork &&
  a.actions === b.actions && a.work === b.work && a.asked === b.asked && a.earlier?.steps.length === b.earlier?.steps.length && a.children === b.children;

/** Memoised: finished turns do not re-render while a later turn streams. */
export const TurnView = memo(function TurnView({ turn, live, status, last, stopped, cut, todos, citations, asked, earlier, work, showWork, actions, children }: Props) {
  const replies = repliesIn(turn.steps);
  const text = textOf(turn.question);
  const lastAnswer = turn.steps.findLast((step) => step.type === "ai" && textOf(step).trim());
  const answered = lastAnswer !== undefined;
  return (
    <article className={`scroll-mt-6 space-y-4 ${last ? "min-h-[calc(100dvh-13rem)] print:min-h-0" : ""}`} aria-label="Question and answer" data-print-title={text.split("\n")[0]}>
      <Question text={text} busy={live} onEdit={(edited) => actions.edit(turn.question.id ?? undefined, edited)} />
      {last && todos.length > 0 && showWork && <Todos todos={todos} />}
      {turn.steps.map((step, n) => {
        if (step.type !== "ai") return null;
        return (
          <div key={step.id ?? n} className="space-y-3">
            {showWork && callsOf(step).map((call) =>
              call.name === "task" ? (
                <SubagentCard key={call.id} call={call} reply={replies.get(call.id)} work={work.get(String(call.args.description ?? "").trim())} live={live} answer={lastAnswer ? textOf(lastAnswer) : ""} />
              ) : call.name === "write_todos" ? null : (
                <Step key={call.id} call={call} done={replies.has(call.id)} failed={replies.get(call.id)?.failed ?? false} live={live} />
              ))}
            {textOf(step).trim() && <Answer text={issueMarks(textOf(step), marksOf(step), checksOf(step))} checks={checksOf(step)} citations={citations} asked={asked} earlier={earlier ? answerOf(earlier) : ""} onCite={actions.cite} onAskRest={last && !live ? (ids) => actions.askRest(text, ids) : undefined}
              actions={!live && step === lastAnswer ? (
                <>
                  <IconButton icon="print" label="Print this answer" size={16} onClick={(event) => print({ of: "element", element: event.currentTarget.closest("article")! })} />
                  <IconButton icon="redo" label="Answer again" size={16} onClick={() => actions.retry(turn.question.id ?? undefined, text)} />
                </>
              ) : undefined} />}
          </div>
        );
      })}
      {live && (status || !answered) && <Waiting words={status?.text ?? (turn.steps.length > 0 ? "Working on it …" : "Reading your question …")} seconds={status?.seconds ?? 0} />}
      {cut && answered && <p className="text-sm text-soft" data-testid="cut">Stopped: the answer above is not complete.</p>}
      {stopped && !answered && (
        <p className="flex items-center gap-2 text-sm text-soft">
          Stopped before there was an answer.
          <button type="button" data-noprint className="text-accent underline underline-offset-2" onClick={() => actions.retry(turn.question.id ?? undefined, text)}>Ask again</button>
        </p>
      )}
      {children}
    </article>
  );
}, same);

function answerOf(turn: Turn): string {
  const step = turn.steps.findLast((step) => step.type === "ai" && textOf(step).trim());
  return step ? issueMarks(textOf(step), marksOf(step)) : "";
}

/** What happens meanwhile. Seconds are for the eye only: nobody wants to hear them counted. */
function Waiting({ words, seconds }: { words: string; seconds: number }) {
  return (
    <p className="flex items-center gap-2.5 text-sm text-soft" data-testid="waiting">
      <Spinner /> <span role="status">{words}</span>{seconds > 0 && <span aria-hidden="true" className="tabular-nums">{`${seconds} s`}</span>}
      {seconds >= LONG_S && <NotifyOffer />}
    </p>
  );
}

function Step({ call, done, failed, live }: { call: { name: string; args: Record<string, unknown> }; done: boolean; failed: boolean; live: boolean }) {
  const { doing, about } = described(call);
  return (
    <p data-noprint className="flex items-center gap-2 px-1 text-sm text-soft">
      {!done && live ? <Spinner size={14} /> : <Icon name={failed ? "error" : "check"} size={14} className={failed ? "text-bad" : "text-good"} />}
      {doing}{about && <span className="truncate">: {about}</span>}
    </p>
  );
}

function Question({ text, busy, onEdit }: { text: string; busy: boolean; onEdit: (text: string) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft !== null) {
    const keep = () => {
      setDraft(null);
      if (draft.trim() && draft.trim() !== text.trim()) onEdit(draft.trim());
    };
    return (
      <form className="space-y-2" onSubmit={(event) => (event.preventDefault(), keep())}>
        <label className="sr-only" htmlFor="edited">Edit the question</label>
        <textarea
          id="edited"
          autoFocus
          rows={3}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setDraft(null);
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              keep();
            }
          }}
          className="field font-serif text-lg"
        />
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto text-xs text-soft">What follows is answered anew.</span>
          <Button onClick={() => setDraft(null)}>Cancel</Button>
          <Button kind="primary" type="submit">Ask again</Button>
        </div>
      </form>
    );
  }
  return (
    <div className="group flex items-start gap-2 border-b border-rule pb-3">
      <h2 className="min-w-0 flex-1 text-xl leading-snug whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</h2>
      {!busy && <IconButton icon="pencil" label="Edit this question" size={16} className="opacity-60 group-hover:opacity-100 focus-visible:opacity-100" onClick={() => setDraft(text)} />}
    </div>
  );
}
