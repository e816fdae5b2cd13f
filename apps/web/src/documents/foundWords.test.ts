import { expect, it } from "vitest";
import { inSight, partsOf, wantedIn, wordsIn } from "./foundWords";

it("marks phrases as they are written and words as whole words", () => {
  const wanted = wantedIn('"business day" rent');
  expect(wanted).toEqual({ phrases: ["business day"], words: ["rent"] });
  expect(partsOf("Rent on a Business\nDay, not parental.", wanted)).toEqual(["", "Rent", " on a ", "Business\nDay", ", not parental."]);
  expect(partsOf("(a.b)", wantedIn("“a.b”"))).toEqual(["(", "a.b", ")"]);
  expect(wordsIn("The rent is due", wantedIn("rent due late"))).toBe(2);
  expect(partsOf("nothing", wantedIn(" "))).toEqual(["nothing"]);
});

it("cuts a long beginning", () => {
  expect(inSight(["word ".repeat(40), "rent", ""])[0]!.length).toBeLessThan(90);
  expect(inSight(["short ", "rent", ""])).toEqual(["short ", "rent", ""]);
  expect(inSight(["word ".repeat(40)])).toEqual(["word ".repeat(40)]);
});
