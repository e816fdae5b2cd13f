import { expect, it } from "vitest";
import { otherMethods, refusalMessage } from "./signInMethods";

it("offers the ways in that this installation takes, and not the one in use", () => {
  expect(otherMethods({ password: true, link: true, provider: false }, "password")).toEqual(["link", "token"]);
  expect(otherMethods({ password: true, link: true, provider: true }, "token")).toEqual(["password", "link"]);
  expect(otherMethods({ password: false, link: false, provider: true }, "token")).toEqual([]);
  expect(otherMethods(null, "token")).toEqual([]);
});

it("says why the browser was sent back", () => {
  expect(refusalMessage("?refused=link")).toMatch(/Ask for a new one/);
  expect(refusalMessage("?refused=group")).toMatch(/administrator/);
  expect(refusalMessage("?refused=<b>")).toBe("");
  expect(refusalMessage("")).toBe("");
});
