import type { Document } from "../api/types";
import { shortName } from "../names";
import { kindOf } from "./kinds";
import { statusOf } from "./status";

export type Order = "newest" | "name" | "kind" | "state";

export const ORDERS: readonly (readonly [Order, string])[] = [["newest", "Newest first"], ["name", "By name"], ["kind", "By kind"], ["state", "By state"]];

/** What needs attention is first. */
const STATES = { failed: 0, partial: 1, busy: 2, good: 3 };

/** Documents in an order; those that are equal in it, by name. The server lists the newest first. */
export function ordered(documents: readonly Document[], order: Order): Document[] {
  if (order === "newest") return [...documents];
  const collator = new Intl.Collator(undefined, { numeric: true });
  const keyed = documents.map((document) => ({
    document, name: shortName(document.filename),
    key: order === "state" ? String(STATES[statusOf(document).kind]) : order === "kind" ? kindOf(document.filename) : "",
  }));
  return keyed.sort((a, b) => collator.compare(a.key, b.key) || collator.compare(a.name, b.name)).map(({ document }) => document);
}
