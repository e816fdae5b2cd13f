import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { answeredAgain, isReachable, onReachability } from "./reachability";

const answers: (number | Error)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
  vi.stubGlobal("fetch", async () => {
    const answer = answers.shift() ?? 200;
    if (answer instanceof Error) throw answer;
    return new Response("", { status: answer });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("tells of an outage after a second failure, and of its end once", async () => {
  const told: boolean[] = [];
  const stop = onReachability((reachable) => told.push(reachable));
  answers.push(new TypeError("Failed to fetch"), 503, 401);
  const again = answeredAgain();
  await vi.advanceTimersByTimeAsync(500);
  expect(isReachable()).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  await again;
  expect(told).toEqual([false, true]);
  expect(isReachable()).toBe(true);
  stop();
});

it("tells of no outage where the second try is answered, and does not ask a broken address more often than every five seconds", async () => {
  const told: boolean[] = [];
  const stop = onReachability((reachable) => told.push(reachable));
  const again = answeredAgain();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  await again;
  expect(told).toEqual([true]);
  stop();
});
