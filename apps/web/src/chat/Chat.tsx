import { useStream } from "@langchain/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ASSISTANT, client } from "../api/langgraph";
import type { Citation, Installation, Matter } from "../api/types";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { checkpointBefore } from "./branching";
import { mergeServerState } from "./serverState";
import { Composer, type ComposerHandle } from "./Composer";
import { failureOf } from "./failures";
import { stopRuns } from "./stopping";
import type { State, Todo, WhichMatterQuestion } from "./state";
import { TurnView, type TurnActions } from "./TurnView";
import { turnsOf } from "./turns";
import { useThreadStatus } from "./useThreadStatus";
import { useServerState } from "./useServerState";
import { useStickToEnd } from "./useStickToEnd";
import { WhichMatter } from "./WhichMatter";
import { Welcome } from "./Welcome";

interface Props {
  threadId: string | null;
  /** Whether a run was active when the conversation was opened. */
  busyAtOpening: boolean;
  matters: Matter[];
  matter: string | null;
  onMatter: (id: string | null) => void;
  onThread: (id: string) => void;
  onCreated: (id: string, question: string, first: boolean) => void;
  onSettled: () => void;
  onCite: (citation: Citation) => void;
  composer: React.RefObject<ComposerHandle | null>;
  showWork: boolean;
  installation: Installation | null;
  documentCount: number;
}

const NO_TODOS: Todo[] = [];

export function Chat({ threadId, busyAtOpening, matters, matter, onMatter, onThread, onCreated, onSettled, onCite, composer, showWork, installation, documentCount }: Props) {
  const asked = useRef("");
  const first = useRef(true);
  const bound = useRef(threadId);
  const told = useRef({ onThread, onCreated, onSettled });
  told.current = { onThread, onCreated, onSettled };
  const [failure, setFailure] = useState<unknown>(null);
  const stream = useStream<State>({
    client,
    assistantId: ASSISTANT,
    threadId,
    // The stream keeps the callbacks of the first render; these call the latest ones.
    onThreadId: (id) => {
      bound.current = id;
      told.current.onThread(id);
    },
    onCreated: () => bound.current && told.current.onCreated(bound.current, asked.current, first.current),
    onCompleted: () => told.current.onSettled(),
  });
  const config = useMemo(() => ({ configurable: matter ? { matter_id: matter } : {} }), [matter]);
  const error = failure ?? stream.error;
  const status = useThreadStatus(threadId, busyAtOpening || stream.interrupts.length > 0, stream.isLoading);
  const working = stream.isLoading || status.busy;
  const { settling, serverState, forget } = useServerState(stream, working, error != null, bound);
  const busy = working || settling;
  const messages = useMemo(() => mergeServerState(stream.messages, serverState), [stream.messages, serverState]);
  const turns = useMemo(() => turnsOf(messages), [messages]);
  const used = messages === stream.messages ? stream.values : serverState;
  const todos = used?.todos ?? NO_TODOS;
  const stated = used?.citations;
  const citations = useMemo(() => new Map((stated ?? []).map((c) => [c.number ?? 0, c])), [stated]);
  const pending = busy ? undefined : stream.interrupts.find((interrupt) => interrupt.id && status.interrupts?.has(interrupt.id));
  const question = pending?.value as WhichMatterQuestion | undefined;
  const waits = question?.kind === "which_matter";
  const { box, end } = useStickToEnd(messages, turns.length);

  const latest = useRef({ stream, ask: async (_text: string, _forkFrom?: string) => undefined as void });
  const ask = useCallback(async (text: string, forkFrom?: string) => {
    asked.current = text;
    first.current = latest.current.stream.messages.length === 0;
    bound.current = latest.current.stream.threadId ?? bound.current;
    setFailure(null);
    if (forkFrom) forget();
    const input = { messages: [{ type: "human", content: text }] } as unknown as Partial<State>;
    try {
      await stream.submit(input, { config, multitaskStrategy: "reject", onError: setFailure, ...(forkFrom ? { forkFrom } : {}) });
    } catch (error) {
      setFailure(error);
    }
  }, [stream, config, forget]);

  latest.current = { stream, ask };
  const actions = useMemo<TurnActions>(() => {
    const again = async (messageId: string | undefined, text: string) => {
      const { stream, ask } = latest.current;
      try {
        await ask(text, messageId ? await checkpointBefore(stream, messageId) : undefined);
      } catch (error) {
        setFailure(error);
      }
    };
    return { cite: onCite, retry: (id, text) => void again(id, text), edit: (id, text) => void again(id, text) };
  }, [onCite]);

  const stop = useCallback(() => void stopRuns(latest.current.stream).catch(setFailure), []);
  useEffect(() => composer.current?.focus(), [composer]);

  const lastTurn = turns.at(-1);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={box} className="scroll min-h-0 flex-1" tabIndex={-1}>
        <div className="mx-auto max-w-[46rem] space-y-10 px-5 pt-6 pb-10">
          {stream.isThreadLoading && !turns.length && threadId ? (
            <p className="flex items-center gap-2.5 text-soft"><Spinner /> Opening the conversation …</p>
          ) : turns.length === 0 ? (
            <Welcome installation={installation} matter={matters.find((m) => m.id === matter)} documentCount={documentCount} onAsk={(text) => void ask(text)} />
          ) : (
            turns.map((turn, n) => (
              <TurnView
                key={turn.id}
                turn={turn}
                last={n === turns.length - 1}
                live={n === turns.length - 1 && busy}
                stopped={!busy && !stream.isThreadLoading && !(n === turns.length - 1 && (waits || error != null))}
                todos={n === turns.length - 1 ? todos : NO_TODOS}
                citations={citations}
                stream={stream}
                showWork={showWork}
                actions={actions}
              />
            ))
          )}
          {waits && (
            <WhichMatter
              question={question}
              onChosen={async (id) => {
                onMatter(id);
                // Sends only the answer: with a matter in its context, the run has no interrupt that takes the answer.
                await stream.respond({ matter_id: id }, { interruptId: pending!.id!, namespace: [] }).catch((error: unknown) => {
                  setFailure(error);
                  throw error;
                });
              }}
            />
          )}
          {error != null && !busy && <Failure error={error} onRetry={lastTurn ? () => actions.retry(lastTurn.question.id, lastTurn.question.text) : undefined} />}
          <div ref={end} />
        </div>
      </div>
      <div className="mx-auto w-full max-w-[46rem] px-3 pb-3 sm:px-5 sm:pb-4">
        <Composer
          ref={composer}
          matters={matters}
          matter={matter}
          onMatter={onMatter}
          onSend={(text) => void ask(text)}
          onStop={stop}
          busy={busy}
          blocked={waits ? "Choose the matter first" : null}
        />
        <InUse installation={installation} />
      </div>
      <Announcer loading={busy} waits={waits} answer={lastTurn?.steps.findLast((step) => step.getType() === "ai")?.text ?? ""} />
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

function Failure({ error, onRetry }: { error: unknown; onRetry: (() => void) | undefined }) {
  const { title, advice } = failureOf(error);
  return (
    <Notice kind="error">
      <p className="font-medium">{title}</p>
      <p>{advice}</p>
      {onRetry && <Button className="mt-2" onClick={onRetry}>Try again</Button>}
    </Notice>
  );
}

/** Live region that announces start and end of an answer, not every word. */
function Announcer({ loading, waits, answer }: { loading: boolean; waits: boolean; answer: string }) {
  const [words, say] = useState("");
  const before = useRef(loading);
  useEffect(() => {
    if (loading && !before.current) say("The answer is being written.");
    if (!loading && before.current) say(waits ? "A question for you: which matter do you mean?" : `The answer is complete. ${answer.slice(0, 600)}`);
    before.current = loading;
  }, [loading, waits, answer]);
  return <p className="sr-only" role="status" aria-live="polite">{words}</p>;
}
