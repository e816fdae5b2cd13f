import { describe, expect, it } from "vitest";
import { type ServerState, toMessage, isIncomplete, mergeServerState } from "./serverState";

const question = { id: "q1", type: "human", content: "Which law governs?" };
const plan = { id: "a1", type: "ai", content: "" };
const answer = { id: "a2", type: "ai", content: "The laws of Victoria." };
const next = { id: "q2", type: "human", content: "And the term?" };
const all = [question, plan, answer].map(toMessage);
const kept = (shown: string[]): ServerState => ({ messages: all, citations: [], todos: [], shown: new Set(shown) });

describe("an answer that the stream did not bring", () => {
  it("is missed where it is not there, empty, or cut short", () => {
    expect(isIncomplete([question, plan].map(toMessage), all)).toBe(true);
    expect(isIncomplete([question, { ...answer, content: "" }].map(toMessage), all)).toBe(true);
    expect(isIncomplete([question, { ...answer, content: "The laws of" }].map(toMessage), all)).toBe(true);
    expect(isIncomplete(all, all)).toBe(false);
  });

  it("is missed where a later one is there", () => {
    const later = [...all, next, { id: "a4", type: "ai", content: "Five years." }].map((m) => ("getType" in m ? m : toMessage(m)));
    expect(isIncomplete(later.filter((m) => m.id !== "a2"), later)).toBe(true);
  });

  it("is not missed where there is none: the run was stopped, or has a question", () => {
    expect(isIncomplete([question].map(toMessage), [question, plan].map(toMessage))).toBe(false);
    expect(isIncomplete([], [])).toBe(false);
  });

  it("stands among the messages, and what is asked next after it", () => {
    expect(mergeServerState([question, plan].map(toMessage), kept(["q1", "a1"])).map((m) => m.id)).toEqual(["q1", "a1", "a2"]);
    expect(mergeServerState([question, plan, next].map(toMessage), kept(["q1", "a1"])).map((m) => m.id)).toEqual(["q1", "a1", "a2", "q2"]);
  });

  it("takes the place of what the server does not hold", () => {
    const left = { id: "x", type: "ai", content: "Half a sentence" };
    expect(mergeServerState([question, left].map(toMessage), kept(["q1", "x"])).map((m) => m.id)).toEqual(["q1", "a1", "a2"]);
  });

  it("is the stream's again as soon as that has it", () => {
    const streamed = [question, plan, answer, next].map(toMessage);
    expect(mergeServerState(streamed, kept(["q1"]))).toBe(streamed);
    expect(mergeServerState(streamed, null)).toBe(streamed);
  });

  it("keeps calls and replies of tools", () => {
    const call = toMessage({ id: "a1", type: "ai", content: "", tool_calls: [{ id: "c", name: "task", args: {}, type: "tool_call" }] } as never);
    expect((call as { tool_calls?: unknown[] }).tool_calls).toHaveLength(1);
    expect((toMessage({ id: "t", type: "tool", content: "Done", tool_call_id: "c" }) as unknown as { tool_call_id: string }).tool_call_id).toBe("c");
  });
});
