import { type AnyStream, type SubagentDiscoverySnapshot, useToolCalls, useValues } from "@langchain/react";
import { memo, useId, useState } from "react";
import { Icon, Spinner } from "../ui/Icon";
import { Markdown } from "./Markdown";
import { type Call, described, type ToolReply } from "./turns";

/** A subagent's task, progress and report. */
export const SubagentCard = memo(function SubagentCard({
  call, reply, stream, subagent, live,
}: { call: Call; reply: ToolReply | undefined; stream: AnyStream; subagent: SubagentDiscoverySnapshot | undefined; live: boolean }) {
  const running = !reply && live;
  const [choice, choose] = useState<boolean | null>(null);
  const open = choice ?? running;
  const body = useId();
  const task = taskOf(call.args);
  const failed = reply?.failed || subagent?.status === "error";
  return (
    <section className="rounded-lg border border-rule bg-sheet" data-testid="subagent" data-state={running ? "running" : failed ? "failed" : reply ? "done" : "stopped"}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => choose(!open)}
        className="flex w-full items-center gap-2.5 rounded-lg px-3.5 py-2.5 text-left text-sm hover:bg-sunk"
      >
        {running ? <span className="text-accent"><Spinner /></span> : <Icon name={failed ? "error" : reply ? "check" : "stop"} size={16} className={failed ? "text-bad" : reply ? "text-good" : "text-soft"} />}
        <span className="font-medium">Document agent</span>
        <span className="min-w-0 flex-1 truncate text-soft">{task.question}</span>
        <Icon name="down" size={15} className={`text-soft transition-transform ${open ? "rotate-180" : ""}`} />
      </button>
      {open && (
        <div id={body} className="border-t border-rule px-3.5 py-3">
          <p className="eyebrow">Task</p>
          <p className="mt-1 text-sm whitespace-pre-wrap">{task.whole}</p>
          {subagent && <Work stream={stream} subagent={subagent} running={running} />}
          {reply && (
            <>
              <p className="eyebrow mt-4">Report</p>
              <div className="mt-1 max-h-96 overflow-y-auto text-sm [&_.prose]:text-[0.9375rem]" tabIndex={0} role="group" aria-label="Report of the document agent">
                <Markdown text={reply.text} />
              </div>
            </>
          )}
        </div>
      )}
    </section>
  );
});

/** Mounted only while the card is open, since mounting subscribes to the subagent's events. */
function Work({ stream, subagent, running }: { stream: AnyStream; subagent: SubagentDiscoverySnapshot; running: boolean }) {
  const heard = useToolCalls(stream, subagent);
  const values = useValues<{ messages?: { tool_calls?: Call[]; tool_call_id?: string; status?: string }[] }>(stream, subagent);
  const stated = (values?.messages ?? []).flatMap((m) => m.tool_calls ?? []);
  const settled = new Map((values?.messages ?? []).filter((m) => m.tool_call_id).map((m) => [m.tool_call_id, m.status]));
  const known = new Map<string, { name: string; args: Record<string, unknown>; state: string }>();
  for (const call of stated) known.set(call.id, { name: call.name, args: call.args, state: settled.has(call.id) ? (settled.get(call.id) === "error" ? "error" : "finished") : "running" });
  for (const call of heard) {
    const before = known.get(call.id);
    known.set(call.id, { name: call.name, args: argumentsOf(call.args) ?? before?.args ?? {}, state: before && before.state !== "running" ? before.state : call.status });
  }
  if (!known.size) return running ? <p className="mt-3 text-sm text-soft">Starting …</p> : null;
  return (
    <>
      <p className="eyebrow mt-4">Steps</p>
      <ol className="mt-1 space-y-1">
        {[...known].map(([id, call]) => {
          const { doing, about } = described(call);
          return (
            <li key={id} className="flex items-center gap-2 text-sm" data-testid="step">
              {call.state === "running" && running ? <span className="text-accent"><Spinner size={14} /></span>
                : <Icon name={call.state === "error" ? "error" : "check"} size={14} className={call.state === "error" ? "text-bad" : "text-good"} />}
              <span className="shrink-0">{doing}</span>
              {about && <span className="min-w-0 truncate text-soft" title={about}>{about}</span>}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function argumentsOf(args: unknown): Record<string, unknown> | undefined {
  if (args && typeof args === "object") return args as Record<string, unknown>;
  try {
    return typeof args === "string" ? (JSON.parse(args) as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // incomplete JSON while streaming
  }
}

/** Extracts the question from a task, whose first lines name the matter by id. */
function taskOf(args: Record<string, unknown>): { question: string; whole: string } {
  const whole = String(args.description ?? "").trim();
  const lines = whole.split("\n").filter((line) => line.trim());
  const asked = lines.find((line) => /^question:/i.test(line))?.replace(/^question:\s*/i, "");
  return { question: asked ?? lines.find((line) => !/^matter:/i.test(line)) ?? whole, whole };
}
