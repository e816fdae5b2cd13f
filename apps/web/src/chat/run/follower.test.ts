import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as server from "../../api/langgraph";
import { follow } from "./follower";

vi.mock("../../api/langgraph");
vi.mock("../../live/reachability");
vi.mock("../../live/slots", () => ({ withSlot: async (work: () => Promise<void>) => (await work(), true) }));

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  vi.stubGlobal("document", Object.assign(new EventTarget(), { hidden: false }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A stream that tells nothing, until it is left. */
async function* silent(_thread: string, _run: string, signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("left"))));
}

it("ends when the run has ended whose events were lost", async () => {
  vi.mocked(server.activeRuns).mockResolvedValueOnce(["run"]).mockResolvedValueOnce(["run"]).mockResolvedValue([]);
  vi.mocked(server.runEvents).mockImplementation(silent);
  const onPoll = vi.fn(async () => false);
  const ended = vi.fn();
  void follow("thread", { onEvent: vi.fn(), onPoll }, new AbortController().signal).then(ended);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(onPoll).toHaveBeenCalledTimes(1);
  expect(ended).toHaveBeenCalledTimes(1);
});
