import type { Citation } from "../../api/types";
import { isNameOf } from "../../names";
import type { Quotation } from "./parse";

export interface Row {
  /** The document of the first quotation. */
  document: Citation;
  value: string;
  quotations: Quotation[];
}

const BULLET = /^(?:[-*•]|\d{1,3}[.)])\s+/;
/** A label in bold, and a value in brackets behind it. */
const LABEL = /^\*\*([^*]+)\*\*\s*(?:\((.{1,80}?)\)\s*(?=[:–—-]|“|"))?\s*[:–—-]?\s*/;
const QUOTED = /(“[^“”]*”|"[^"\n]+")\s*((?:\uE002\d{1,3}\uE003[\s.,;]*)+)/g;
const NOTHING = /^[\s.,;:–—-]*$/;

/**
 * Reads a line of quotations with source numbers: all quotations, or a label that names their document and anything between them. Other
 * lines are sentences: null.
 */
export function rowIn(line: string, citations: ReadonlyMap<number, Citation>): Row | null {
  // Words to check are shown as they stand.
  if (line.includes("\uE004")) return null;
  const bare = line.replace(BULLET, "");
  const label = LABEL.exec(bare);
  const rest = label ? bare.slice(label[0].length) : bare;
  const quotations: Quotation[] = [];
  let at = 0;
  for (const found of rest.matchAll(QUOTED)) {
    quotations.push({ text: found[1]!, numbers: [...found[2]!.matchAll(/\d+/g)].map(Number), lead: said(rest.slice(at, found.index)), topic: "" });
    at = found.index + found[0].length;
  }
  const document = citations.get(quotations[0]?.numbers[0] ?? -1);
  if (!document || !quotations.every(({ numbers }) => citations.has(numbers[0]!)) || !NOTHING.test(rest.slice(at))) return null;
  const named = label !== null && isNameOf(label[1]!, document.document_name);
  if (named) return { document, value: label[2] ?? "", quotations };
  if (quotations.some(({ lead }) => lead)) return null;
  const topic = label ? [label[1]!.replace(/:$/, ""), label[2] && `(${label[2]})`].filter(Boolean).join(" ") : "";
  return { document, value: "", quotations: quotations.map((quotation) => ({ ...quotation, topic })) };
}

const said = (text: string): string => (NOTHING.test(text) ? "" : text.trim());
