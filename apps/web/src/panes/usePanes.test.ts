import { expect, it } from "vitest";
import { panesOf } from "./usePanes";

const usual: { left: number | null; source: number | null; documents: number | null } = { left: null, source: null, documents: null };
const shown = (window: number, main: number, beside: "source" | "documents" | null, kept = usual) => {
  const { hasLeft, hasRight, left, right } = panesOf(window, main, beside, kept);
  return [hasLeft ? left.width : 0, window - (hasLeft ? left.width : 0) - (hasRight ? right.width : 0), hasRight ? right.width : 0];
};

it("gives each pane its width while there is room, then lets the conversations go, then the pane at the right", () => {
  expect(shown(1920, 420, "source")).toEqual([248, 827, 845]);
  expect(shown(1280, 420, "source")).toEqual([248, 469, 563]);
  expect(shown(1280, 640, "source")).toEqual([0, 717, 563]);
  expect(shown(1000, 420, "source")).toEqual([0, 560, 440]);
  expect(shown(819, 420, "source")).toEqual([0, 819, 0]);
  expect(shown(1280, 420, "documents")).toEqual([248, 680, 352]);
  expect(shown(930, 420, "documents")).toEqual([248, 682, 0]);
  expect(shown(640, 420, null)).toEqual([0, 640, 0]);
});

it("keeps the middle's room whatever was kept from a larger window", () => {
  for (const window of [820, 1024, 1280, 1366, 1440, 1536, 1920]) {
    for (const main of [420, 640]) {
      for (const source of [null, 100, 4000]) {
        const [left, middle, right] = shown(window, main, "source", { left: 4000, source, documents: null });
        expect(middle).toBeGreaterThanOrEqual(Math.min(main, window));
        expect(left! + middle! + right!).toBe(window);
      }
    }
  }
});
