import { expect, test } from "vitest";
import { best, type Command } from "./Palette";

const place = (name: string, icon: Command["icon"] = "file"): Command => ({ name, icon, run: () => undefined });

test("the very name comes first, and many documents leave room for a conversation", () => {
  const documents = Array.from({ length: 20 }, (_, n) => place(`Sublease of shop ${n}`));
  const found = best([...documents, place("Lease of shop 3"), place("lease"), place("Which leases end soon?", "text")], "lease").map(({ name }) => name);
  expect(found.slice(0, 3)).toEqual(["lease", "Lease of shop 3", "Which leases end soon?"]);
  expect(found).toHaveLength(12);
});
