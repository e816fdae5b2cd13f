import type { AnyStream } from "@langchain/react";
import { memo, useState } from "react";
import type { Citation } from "../api/types";
import { sectionName } from "../format";
import { Button, IconButton } from "../ui/Button";
import { Icon, Spinner } from "../ui/Icon";
import { Markdown } from "./Markdown";
import type { Todo } from "./state";
import { SubagentCard } from "./SubagentCard";
import { Todos } from "./Todos";
import { callsOf, described, repliesIn, splitSources, type Turn } from "./turns";

export interface TurnActions {
  cite: (citation: Citation) => void;
  retry: (messageId: string | undefined, text: string) => void;
  edit: (messageId: string | undefined, text: string) => void;
}

interface Props {
  turn: Turn;
  live: boolean;
  last: boolean;
  /** Whether the turn ended without an answer or an error message. */
  stopped: boolean;
  todos: Todo[];
  citations: ReadonlyMap<number, Citation>;
  stream: AnyStream;
  showWork: boolean;
  actions: TurnActions;
}

const same = (a: Props, b: Props) =>
  a.turn.question === b.turn.question && a.turn.steps.length === b.turn.steps.length && a.turn.steps.every((step, n) => step === b.turn.steps[n]) &&
  a.live === b.live && a.last === b.last && a.stopped === b.stopped && a.todos === b.todos && a.citations === b.citations && a.showWork === b.showWork &&
  a.actions === b.actions && (b.live ? a.stream === b.stream : a.stream.subagents === b.stream.subagents);

/** Memoised: finished turns do not re-render while a later turn streams. */
export const TurnView = memo(function TurnView({ turn, live, last, stopped, todos, citations, stream, showWork, actions }: Props) {
  const replies = repliesIn(turn.steps);
  const text = turn.question.text;
  const answered = turn.steps.some((step) => step.getType() === "ai" && step.text.trim());
  return (
    <article className="space-y-4" aria-label="Question and answer">
      <Question text={text} busy={live} onEdit={(edited) => actions.edit(turn.question.id, edited)} />
      {last && todos.length > 0 && showWork && <Todos todos={todos} />}
      {turn.steps.map((step, n) => {
        if (step.getType() !== "ai") return null;
        return (
          <div key={step.id ?? n} className="space-y-3">
            {showWork && callsOf(step).map((call) =>
              call.name === "task" ? (
                <SubagentCard key={call.id} call={call} reply={replies.get(call.id)} stream={stream} subagent={stream.subagents.get(call.id)} live={live} />
              ) : call.name === "write_todos" ? null : (
                <Step key={call.id} call={call} done={replies.has(call.id)} failed={replies.get(call.id)?.failed ?? false} live={live} />
              ))}
            {step.text.trim() && <Answer text={step.text} citations={citations} onCite={actions.cite} />}
          </div>
        );
      })}
      {live && !answered && <Waiting working={turn.steps.length > 0} />}
      {stopped && !answered && (
        <p className="flex items-center gap-2 text-sm text-soft">
          Stopped before there was an answer.
          <button type="button" className="text-accent underline underline-offset-2" onClick={() => actions.retry(turn.question.id, text)}>Ask again</button>
        </p>
      )}
      {!live && answered && (
        <div className="-mt-1 flex gap-1">
          <CopyButton text={turn.steps.filter((step) => step.getType() === "ai").map((step) => step.text).join("\n\n").trim()} />
          <IconButton icon="redo" label="Answer again" size={16} onClick={() => actions.retry(turn.question.id, text)} />
        </div>
      )}
    </article>
  );
}, same);

function Waiting({ working }: { working: boolean }) {
  return <p className="flex items-center gap-2.5 text-sm text-soft" role="status"><Spinner /> {working ? "Working on it …" : "Reading your question …"}</p>;
}

function Step({ call, done, failed, live }: { call: { name: string; args: Record<string, unknown> }; done: boolean; failed: boolean; live: boolean }) {
  const { doing, about } = described(call);
  return (
    <p className="flex items-center gap-2 px-1 text-sm text-soft">
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

function Answer({ text, citations, onCite }: { text: string; citations: ReadonlyMap<number, Citation>; onCite: (citation: Citation) => void }) {
  const { body, sources } = splitSources(text);
  return (
    <div data-testid="answer">
      <Markdown text={body} citations={citations} onCite={onCite} />
      {sources.length > 0 && (
        <section className="mt-5" aria-label="Sources">
          <p className="eyebrow mb-1.5">Sources</p>
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
            {sources.map((source) => {
              const citation = citations.get(source.number);
              return (
                <li key={source.number}>
                  {citation ? <SourceLine citation={citation} onCite={onCite} /> : <p className="px-3 py-2 text-sm text-soft">{`[${source.number}] ${source.name}`}</p>}
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </div>
  );
}

function SourceLine({ citation, onCite }: { citation: Citation; onCite: (citation: Citation) => void }) {
  const place = [citation.paged ? `Page ${citation.page_first}${citation.page_last > citation.page_first ? `–${citation.page_last}` : ""}` : "", sectionName(citation.section_label, citation.section_title)].filter(Boolean).join(", ");
  return (
    <button type="button" onClick={() => onCite(citation)} className="flex w-full items-baseline gap-3 rounded-lg border border-rule bg-sheet px-3 py-2 text-left text-sm hover:border-accent hover:bg-wash">
      <span className="font-semibold text-accent tabular-nums">{citation.number}</span>
      <span className="min-w-0 flex-1">
        <span className="block truncate">{citation.document_name}</span>
        {place && <span className="block truncate text-soft">{place}</span>}
      </span>
      <Icon name="right" size={14} className="self-center text-edge" />
    </button>
  );
}

function CopyButton({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  return (
    <IconButton
      icon={done ? "check" : "copy"}
      label={done ? "Copied" : "Copy the answer"}
      size={16}
      onClick={() => void navigator.clipboard.writeText(text).then(() => {
        setDone(true);
        setTimeout(() => setDone(false), 1500);
      })}
    />
  );
}
