import { memo, useId, useState } from "react";
import { Icon, Spinner } from "../ui/Icon";
import { issueMarks, Markdown } from "./Markdown";
import { callsOf, described, type ToolReply } from "./turns";
import type { Call, Message } from "./run/messages";

/** A subagent's task, progress and report. */
export const SubagentCard = memo(function SubagentCard({
  call, reply, work, live, answer,
}: {
  call: Call; reply: ToolReply | undefined; work: readonly Message[] | undefined; live: boolean;
  /** The answer beneath, which the report is not to repeat. */
  answer: string;
}) {
  const running = !reply && live;
  const [open, choose] = useState(false);
  const body = useId();
  const task = taskOf(call.args);
  const failed = reply?.failed;
  return (
    <section data-noprint className="rounded-lg border border-rule bg-sheet" data-testid="subagent" data-state={running ? "running" : failed ? "failed" : reply ? "done" : "stopped"}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => choose(!open)}
        className="flex w-full items-center gap-2.5 rounded-lg px-3.5 py-2.5 text-left text-sm hover:bg-sunk"
      >
        {running ? <span className="text-accent"><Spinner /></span> : <Icon name={failed ? "error" : reply ? "check" : "stop"} size={16} className={failed ? "text-bad" : reply ? "text-good" : "text-soft"} />}
        <span className="font-medium">Document agent</span>
        <span className="min-w-0 flex-1 truncate text-soft">{(running && doingNow(work)) || task.question}</span>
        <Icon name="down" size={15} className={`text-soft transition-transform ${open ? "rotate-180" : ""}`} />
      </button>
      {open && (
        <div id={body} className="border-t border-rule px-3.5 py-3">
          <p className="eyebrow">Task</p>
          <p className="mt-1 text-sm whitespace-pre-wrap">{task.whole}</p>
          {work && <Work messages={work} running={running} />}
          {reply && repeats(answer, reply.text) && <p className="mt-4 text-sm text-soft">Its report is the answer below.</p>}
          {reply && !repeats(answer, reply.text) && (
            <>
              <p className="eyebrow mt-4">Report</p>
              <div className="mt-1 max-h-96 overflow-y-auto text-sm [&_.prose]:text-[0.9375rem]" tabIndex={0} role="group" aria-label="Report of the document agent">
                <Markdown text={issueMarks(withoutIds(reply.text), [])} />
              </div>
            </>
          )}
        </div>
      )}
    </section>
  );
});

/** The step that an agent is at. */
function doingNow(work: readonly Message[] | undefined): string {
  const call = (work ?? []).flatMap(callsOf).at(-1);
  if (!call) return "";
  const { doing, about } = described(call);
  return about ? `${doing}: ${about}` : `${doing} …`;
}

const QUOTATION = /“[^“”]+”/g;
/** Whether all quotations of a report stand in the answer. */
function repeats(answer: string, report: string): boolean {
  const quotations = report.match(QUOTATION) ?? [];
  return quotations.length > 0 && quotations.every((quotation) => answer.includes(quotation));
}

function Work({ messages, running }: { messages: readonly Message[]; running: boolean }) {
  const calls = messages.flatMap(callsOf);
  const settled = new Map(messages.filter((m) => m.tool_call_id).map((m) => [m.tool_call_id, m.status]));
  if (!calls.length) return running ? <p className="mt-3 text-sm text-soft">Starting …</p> : null;
  return (
    <>
      <p className="eyebrow mt-4">Steps</p>
      <ol className="mt-1 space-y-1">
        {calls.map((call) => {
          const { doing, about } = described(call);
          const failed = settled.get(call.id) === "error";
          return (
            <li key={call.id} className="flex items-center gap-2 text-sm" data-testid="step">
              {!settled.has(call.id) && running ? <span className="text-accent"><Spinner size={14} /></span>
                : <Icon name={failed ? "error" : "check"} size={14} className={failed ? "text-bad" : "text-good"} />}
              <span className="shrink-0">{doing}</span>
              {about && <span className="min-w-0 truncate text-soft" title={about}>{about}</span>}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Extracts the question from a task, whose first lines name the matter by id. */
function taskOf(args: Record<string, unknown>): { question: string; whole: string } {
  const whole = withoutIds(String(args.description ?? "").trim());
  const lines = whole.split("\n").filter((line) => line.trim());
  const from = lines.findIndex((line) => /^question:/i.test(line));
  // Earlier questions, to which this one may refer, stand before it.
  const asked = from < 0 ? undefined : lines.at(-1)!.replace(/^question:\s*/i, "");
  return { question: asked ?? lines.find((line) => !/^matter:/i.test(line)) ?? whole, whole };
}

const UUID = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}";
const IDS = new RegExp(`^ *-? *ID: ${UUID}\\n?| \\(ID: ${UUID}\\)`, "gm");
/** Ids are for programs. */
const withoutIds = (text: string): string => text.replace(IDS, "");
