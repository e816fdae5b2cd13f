import { describe, expect, it } from "vitest";
import { type Kept, messageOf, misses, withKept } from "./kept";

const question = { id: "q1", type: "human", content: "Which law governs?" };
const plan = { id: "a1", type: "ai", content: "" };
const answer = { id: "a2", type: "ai", content: "The laws of Victoria." };
const next = { id: "q2", type: "human", content: "And the term?" };
const all = [question, plan, answer].map(messageOf);
const kept = (shown: string[]): Kept => ({ messages: all, citations: [], todos: [], shown: new Set(shown) });

describe("an answer that the stream did not bring", () => {
  it("is missed where it is not there, empty, or cut short", () => {
    expect(misses([question, plan].map(messageOf), all)).toBe(true);
    expect(misses([question, { ...answer, content: "" }].map(messageOf), all)).toBe(true);
    expect(misses([question, { ...answer, content: "The laws of" }].map(messageOf), all)).toBe(true);
    expect(misses(all, all)).toBe(false);
  });

  it("is missed where a later one is there", () => {
    const later = [...all, next, { id: "a4", type: "ai", content: "Five years." }].map((m) => ("getType" in m ? m : messageOf(m)));
    expect(misses(later.filter((m) => m.id !== "a2"), later)).toBe(true);
  });

  it("is not missed where there is none: the run was stopped, or has a question", () => {
    expect(misses([question].map(messageOf), [question, plan].map(messageOf))).toBe(false);
    expect(misses([], [])).toBe(false);
  });

  it("stands among the messages, and what is asked next after it", () => {
    expect(withKept([question, plan].map(messageOf), kept(["q1", "a1"])).map((m) => m.id)).toEqual(["q1", "a1", "a2"]);
    expect(withKept([question, plan, next].map(messageOf), kept(["q1", "a1"])).map((m) => m.id)).toEqual(["q1", "a1", "a2", "q2"]);
  });

  it("takes the place of what the server does not hold", () => {
    const left = { id: "x", type: "ai", content: "Half a sentence" };
    expect(withKept([question, left].map(messageOf), kept(["q1", "x"])).map((m) => m.id)).toEqual(["q1", "a1", "a2"]);
  });

  it("is the stream's again as soon as that has it", () => {
    const streamed = [question, plan, answer, next].map(messageOf);
    expect(withKept(streamed, kept(["q1"]))).toBe(streamed);
    expect(withKept(streamed, null)).toBe(streamed);
  });

  it("keeps calls and replies of tools", () => {
    const call = messageOf({ id: "a1", type: "ai", content: "", tool_calls: [{ id: "c", name: "task", args: {}, type: "tool_call" }] } as never);
    expect((call as { tool_calls?: unknown[] }).tool_calls).toHaveLength(1);
    expect((messageOf({ id: "t", type: "tool", content: "Done", tool_call_id: "c" }) as unknown as { tool_call_id: string }).tool_call_id).toBe("c");
  });
});
