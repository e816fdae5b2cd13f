import { expect, it } from "vitest";
import { otherWays, refusalIn } from "./ways";

it("offers the ways in that this installation takes, and not the one in use", () => {
  expect(otherWays({ password: true, link: true, provider: false }, "password")).toEqual(["link", "token"]);
  expect(otherWays({ password: true, link: true, provider: true }, "token")).toEqual(["password", "link"]);
  expect(otherWays({ password: false, link: false, provider: true }, "token")).toEqual([]);
  expect(otherWays(null, "token")).toEqual([]);
});

it("says why the browser was sent back", () => {
  expect(refusalIn("?refused=link")).toMatch(/Ask for a new one/);
  expect(refusalIn("?refused=group")).toMatch(/administrator/);
  expect(refusalIn("?refused=<b>")).toBe("");
  expect(refusalIn("")).toBe("");
});
