import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Problem } from "../../api/http";
import * as server from "../../api/langgraph";
import { Conversation } from "./conversation";

vi.mock("../../api/langgraph");
vi.mock("../../live/reachability");

const options = { config: {}, metadata: {}, created: vi.fn(), unsent: vi.fn(), failed: vi.fn() };

/** What the server tells of the thread, look by look: whether a run is active, and whether the question is stored. The last holds on. */
function looks(...found: { active: boolean; stored: boolean }[]): void {
  const next = () => (found.length > 1 ? found.shift()! : found[0]!);
  vi.mocked(server.activeRuns).mockImplementation(async () => (found[0]!.active ? ["run"] : []));
  vi.mocked(server.getState).mockImplementation(async () => {
    const sent = (vi.mocked(server.createRun).mock.calls[0]![1].input as { messages: unknown[] }).messages;
    return { values: { messages: next().stored ? sent : [] }, checkpoint: null, parent_checkpoint: null } as never;
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  vi.mocked(server.createRun).mockRejectedValueOnce(new Problem(0, "No connection", ""));
});
afterEach(() => void vi.useRealTimers());

it("sends a question again when the run that was active in its place has ended without it", async () => {
  looks({ active: true, stored: false }, { active: false, stored: false });
  const asked = new Conversation("thread").ask("What is the rent?", options);
  await vi.advanceTimersByTimeAsync(500);
  expect(server.createRun).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  await asked;
  expect(server.createRun).toHaveBeenCalledTimes(2);
  expect(options.created).toHaveBeenCalledTimes(1);
});

it("asks a question once whose run stores it late", async () => {
  looks({ active: true, stored: false }, { active: true, stored: true });
  const asked = new Conversation("thread").ask("What is the rent?", options);
  await vi.advanceTimersByTimeAsync(1_500);
  await asked;
  expect(server.createRun).toHaveBeenCalledTimes(1);
  expect(options.created).toHaveBeenCalledTimes(1);
});

it("ends the run that it waits for when it is stopped", async () => {
  looks({ active: true, stored: false });
  const conversation = new Conversation("thread");
  const asked = conversation.ask("What is the rent?", options);
  await vi.advanceTimersByTimeAsync(500);
  await conversation.stop();
  await asked;
  expect(server.createRun).toHaveBeenCalledTimes(1);
  expect(server.cancelRun).toHaveBeenCalledWith("thread", "run");
});

it.each([[[{ id: "1", type: "human", content: "Who pays?" }], 0], [[], 1]])("keeps the title of a conversation that is asked before its messages are shown", async (messages, named) => {
  vi.mocked(server.createRun).mockReset();
  vi.mocked(server.activeRuns).mockResolvedValue([]);
  vi.mocked(server.getState).mockResolvedValue({ values: { messages }, checkpoint: null, parent_checkpoint: null } as never);
  await new Conversation("thread").ask("What is the rent?", { ...options, metadata: { title: "What is the rent?" } });
  expect(server.createRun).toHaveBeenCalledTimes(1);
  expect(server.updateThread).toHaveBeenCalledTimes(named);
});
