import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Citation, Installation, Matter } from "../api/types";
import type { Dropped } from "../documents/dropped";
import { count, plural } from "../format";
import { Names } from "../names";
import { PrintHead } from "../print/PrintHead";
import { usePrinted } from "../print/printing";
import { useEndNotice } from "../useEndNotice";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { useStepping } from "./answer/stepping";
import { Composer, type ComposerHandle } from "./Composer";
import { conversationFile, saveFile } from "./saving";
import { draftOf, keepDraft, unsentAt } from "./drafts";
import { failureOf } from "./failures";
import type { DocumentScope } from "./scope/ScopeChip";
import type { Todo, WhichMatterQuestion } from "./state";
import { TurnView, type TurnActions } from "./TurnView";
import { turnsOf } from "./turns";
import { textOf } from "./run/messages";
import { useConversation, useDelegatedWork } from "./run/useConversation";
import { useTopOfTurn } from "./useTopOfTurn";
import { WhichMatter } from "./WhichMatter";
import { Welcome } from "./Welcome";

interface Props {
  user: string;
  threadId: string | null;
  matters: Matter[];
  matter: string | null;
  onMatter: (id: string | null) => void;
  onThread: (id: string) => void;
  /** A run began or ended. */
  onSettled: () => void;
  onCite: (citation: Citation) => void;
  composer: React.RefObject<ComposerHandle | null>;
  showWork: boolean;
  installation: Installation | null;
  scope: DocumentScope;
  onFiles: (files: Dropped[]) => void;
  /** Set to what saves the conversation under a title. */
  saving: React.RefObject<((title: string) => void) | null>;
}

const TITLE_LENGTH = 90;
const NO_TODOS: Todo[] = [];

export function Chat({ user, threadId, matters, matter, onMatter, onThread, onSettled, onCite, composer, showWork, installation, scope, onFiles, saving }: Props) {
  const { conversation, now } = useConversation(threadId);
  const { messages, values, busy, failure, interrupt } = now;
  const turns = useMemo(() => turnsOf(messages), [messages]);
  const work = useDelegatedWork(now.subgraphs);
  const todos = values.todos ?? NO_TODOS;
  const stated = values.citations;
  const citations = useMemo(() => new Map((stated ?? []).map((c) => [c.number ?? 0, c])), [stated]);
  const question = interrupt?.value as WhichMatterQuestion | undefined;
  const waits = question?.kind === "which_matter";
  const lastTurnId = turns.at(-1)?.id;
  const box = useTopOfTurn(lastTurnId);
  useStepping(box);

  const { chosen } = scope;
  const place = `${user}.${threadId ?? "new"}`;
  const ask = useCallback((text: string, again?: string, only: readonly string[] | null = chosen) => {
    const { thread, messages: earlier } = conversation.snapshot();
    // A question that was not sent stands among the messages of a conversation without a thread.
    const first = !thread || earlier.length === 0;
    void conversation.ask(text, {
      config: { configurable: { ...(matter ? { matter_id: matter } : {}), ...(only ? { document_ids: only } : {}) } },
      metadata: { matter_id: matter, document_ids: chosen ? [...chosen] : null, ...(first ? { title: text.split("\n")[0]!.slice(0, TITLE_LENGTH) } : {}) },
      created: (id) => {
        if (draftOf(place) === text) keepDraft(place, "");
        keepDraft(unsentAt(place), "");
        onThread(id);
      },
      unsent: () => keepDraft(place, text),
      failed: () => {
        if (draftOf(place) === text) keepDraft(place, "");
        keepDraft(unsentAt(place), text);
      },
      ...(again ? { again } : {}),
    });
  }, [conversation, matter, chosen, onThread, place]);
  const { documents } = scope;
  // An answer goes on to name documents as they were called when it was given.
  const quoted = [...new Set((stated ?? []).map((citation) => citation.document_name))].sort().join("\n");
  const asked = useMemo(() => ({ documents, chosen, names: new Names([...documents.map((document) => document.filename), ...quoted.split("\n").filter(Boolean)]) }), [documents, chosen, quoted]);
  const latest = useRef(ask);
  latest.current = ask;
  const actions = useMemo<TurnActions>(() => {
    const again = (messageId: string | undefined, text: string) => latest.current(text, messageId);
    return { cite: onCite, retry: again, edit: again, askRest: (text, ids) => latest.current(text, undefined, ids) };
  }, [onCite]);

  // A question that was not sent outlasts a reload.
  useEffect(() => {
    const left = draftOf(unsentAt(place));
    if (left) conversation.restore(left);
  }, [conversation]); // eslint-disable-line -- once, as the conversation is opened
  const discard = useCallback(() => {
    keepDraft(unsentAt(place), "");
    conversation.discard();
  }, [conversation, place]);
  const stop = useCallback(() => void conversation.stop().catch(conversation.fail), [conversation]);
  useEffect(() => void composer.current?.focus(), [composer]);
  useEndNotice(busy, "The answer is ready");
  useEffect(() => {
    onSettled();
  }, [busy, now.thread, onSettled]);

  const printed = usePrinted();
  const about = matters.filter((m) => m.id === matter).map((m) => `${m.number} · ${m.title}`).join("");
  useEffect(() => {
    saving.current = (title) => box.current && saveFile(conversationFile(box.current, title, about, citations), title);
    return () => { saving.current = null; };
  }, [saving, box, about, citations]);
  const lastTurn = turns.at(-1);
  const lastAnswer = lastTurn?.steps.findLast((step) => step.type === "ai");
  // Beneath the last question, in sight.
  const notices = waits || failure != null ? (
    <>
      {waits && (
        <WhichMatter
          question={question}
          onChosen={async (id) => {
            onMatter(id);
            await conversation.respond({ matter_id: id });
          }}
        />
      )}
      {failure != null && !busy && <Failure error={failure} onRetry={lastTurn ? () => actions.retry(lastTurn.question.id ?? undefined, textOf(lastTurn.question)) : undefined} onDiscard={now.unsent ? discard : undefined} />}
    </>
  ) : undefined;
  return (
    <div className="flex h-full min-h-0 flex-col print:block print:h-auto">
      <div ref={box} className="scroll min-h-0 flex-1" tabIndex={-1}>
        <div className="mx-auto max-w-[46rem] space-y-10 px-5 pt-6 pb-10 print:max-w-none print:space-y-6 print:p-0">
          {turns[0] && <PrintHead title={textOf(turns[0].question).split("\n")[0]!} about={about} titled={turns.length > 1 && printed?.of === "page"} />}
          {turns.length > 0 && <h1 className="sr-only">Conversation</h1>}
          {now.loading && !turns.length ? (
            <p className="flex items-center gap-2.5 text-soft"><Spinner /> Opening the conversation …</p>
          ) : turns.length === 0 ? (
            <Welcome installation={installation} matters={matters} onMatter={onMatter} matter={matters.find((m) => m.id === matter)} documentCount={scope.documents.length} onAsk={(text) => ask(text)} />
          ) : (
            turns.map((turn, n) => (
              <TurnView
                key={turn.id}
                turn={turn}
                last={n === turns.length - 1}
                live={n === turns.length - 1 && busy}
                status={n === turns.length - 1 ? now.status : null}
                cut={!busy && now.stopped && n === turns.length - 1}
                stopped={!busy && !now.loading && !(n === turns.length - 1 && (waits || failure != null))}
                todos={n === turns.length - 1 ? todos : NO_TODOS}
                citations={citations}
                asked={asked}
                earlier={n > 0 && textOf(turns[n - 1]!.question) === textOf(turn.question) ? turns[n - 1] : undefined}
                work={work}
                showWork={showWork}
                actions={actions}
              >
                {n === turns.length - 1 ? notices : undefined}
              </TurnView>
            ))
          )}
          {turns.length === 0 && notices}
        </div>
      </div>
      <div data-noprint className="mx-auto w-full max-w-[46rem] px-3 pb-3 sm:px-5 sm:pb-4">
        <Composer
          ref={composer}
          place={place}
          matters={matters}
          matter={matter}
          onMatter={onMatter}
          scope={scope}
          onFiles={onFiles}
          onSend={(text) => ask(text)}
          onStop={stop}
          busy={busy}
          blocked={waits ? "Choose the matter first" : now.unsent && !busy ? "Send or discard the question above first" : null}
        />
        {chosen && <p className="mt-1.5 text-center text-xs text-accent" data-testid="kept-to">{`Kept to ${count(chosen.length)} of ${plural(scope.documents.length, "document")}, also for follow-ups`}</p>}
        <InUse installation={installation} />
      </div>
      <Announcer loading={busy} waits={waits} stopped={now.stopped} failed={failure != null} answer={lastAnswer ? textOf(lastAnswer) : ""} />
    </div>
  );
}

/** Shows whether rules or a language model produced the answer. */
function InUse({ installation }: { installation: Installation | null }) {
  if (!installation) return <p className="mt-1.5 h-4" />;
  const { model, model_offline, engine, engine_offline } = installation;
  return (
    <p className="mt-1.5 text-center text-xs text-balance text-soft" title={`${model}, ${engine}`}>
      {model_offline ? "Offline planner (by rule, quotations only)" : model}
      {" · "}
      {engine_offline ? "Offline engine" : engine}
      {" · What a quotation settles is for you to judge"}
    </p>
  );
}

/** `onDiscard`: for a question that was not sent. */
function Failure({ error, onRetry, onDiscard }: { error: unknown; onRetry: (() => void) | undefined; onDiscard: (() => void) | undefined }) {
  const { title, advice, final } = failureOf(error);
  return (
    <Notice kind="error">
      <p className="font-medium">{title}</p>
      <p>{advice}</p>
      <div className="mt-2 flex gap-2 empty:hidden">
        {onRetry && !final && <Button onClick={onRetry}>Try again</Button>}
        {onDiscard && <Button onClick={onDiscard}>Discard the question</Button>}
      </div>
    </Notice>
  );
}

/** Live region that announces start and end of an answer, not every word. */
function Announcer({ loading, waits, stopped, failed, answer }: { loading: boolean; waits: boolean; stopped: boolean; failed: boolean; answer: string }) {
  const [words, say] = useState("");
  const before = useRef(loading);
  useEffect(() => {
    if (loading && !before.current) say("The answer is being written.");
    // A failure is an alert itself.
    if (!loading && before.current) say(failed ? "" : stopped ? "The answer was stopped." : waits ? "A question for you: which matter do you mean?" : answer ? `The answer is complete. ${answer.slice(0, 600)}` : "");
    before.current = loading;
  }, [loading, waits, stopped, failed, answer]);
  return <p className="sr-only" role="status" aria-live="polite">{words}</p>;
}
