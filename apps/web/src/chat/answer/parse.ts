import type { Citation } from "../../api/types";

export interface Quotation {
  /** With its quotation marks. */
  text: string;
  numbers: number[];
}

export interface DocumentQuotations {
  documentId: string;
  name: string;
  quotations: Quotation[];
}

export type Part = { kind: "prose"; text: string } | { kind: "quotations"; documents: DocumentQuotations[] };

export interface Coverage {
  asked: number;
  total: number;
}

export interface ReadAnswer {
  parts: Part[];
  coverage: Coverage | null;
  /** How the answer was found: engine, planner, what was read. */
  notes: string[];
}

const QUOTATIONS = /^(?:[-*•]\s+)?(?:\*\*[^*]+\*\*:\s*)?((?:“[^“”]*”\s*(?:\uE002\d{1,3}\uE003[\s.,;]*)+)+)$/;
const ONE = /(“[^“”]*”)\s*((?:\uE002\d{1,3}\uE003[\s.,;]*)+)/g;
/** Only a document's name, which the heading repeats. */
const NAME_ALONE = /^(?:In )?\*\*[^*]+\*\*:?$/;
const COVERAGE = /^(?:The question was put to|Asked:) (\d[\d,]*) of (\d[\d,]*) documents\b/;
const NOTE = /^(?:Engine: |Read: |Read by text recognition|Searched: |Asked: |The question was put to |Nothing found in: |No answer was found in: |Not asked yet: |_Offline planner: )/;
/** What was not read stays in sight: an answer may be missing because of it. */
const WARNING = /^Not read/;

/**
 * Reads an answer with issued source numbers (`issueMarks`): lines that are quotations only are grouped by the document of their sources, which the run's state names; notes on
 * how it was found are set apart; all else is prose.
 */
export function readAnswer(body: string, citations: ReadonlyMap<number, Citation>): ReadAnswer {
  const parts: Part[] = [];
  const notes: string[] = [];
  let coverage: Coverage | null = null;
  let prose: string[] = [];
  const flush = () => {
    const text = prose.join("\n").trim();
    if (text) parts.push({ kind: "prose", text });
    prose = [];
  };
  for (const line of body.split("\n")) {
    const trimmed = line.trim();
    const quotations = quotationsIn(trimmed, citations);
    if (quotations) {
      if (!prose.every((earlier) => !earlier.trim() || NAME_ALONE.test(earlier.trim()))) flush();
      else prose = [];
      group(parts, quotations, citations);
    } else if (NOTE.test(trimmed) && !WARNING.test(trimmed)) {
      const found = COVERAGE.exec(trimmed);
      if (found) coverage = { asked: count(found[1]!), total: count(found[2]!) };
      notes.push(trimmed.replace(/^_|_$/g, ""));
    } else prose.push(line);
  }
  flush();
  return { parts, coverage, notes };
}

const count = (digits: string): number => Number(digits.replaceAll(",", ""));

function quotationsIn(line: string, citations: ReadonlyMap<number, Citation>): Quotation[] | null {
  const found = QUOTATIONS.exec(line);
  if (!found) return null;
  const quotations = [...found[1]!.matchAll(ONE)].map((one) => ({ text: one[1]!, numbers: [...one[2]!.matchAll(/\d+/g)].map(Number) }));
  return quotations.every(({ numbers }) => citations.has(numbers[0]!)) ? quotations : null;
}

function group(parts: Part[], quotations: Quotation[], citations: ReadonlyMap<number, Citation>): void {
  const last = parts.at(-1);
  const documents = last?.kind === "quotations" ? last.documents : [];
  if (last?.kind !== "quotations") parts.push({ kind: "quotations", documents });
  for (const quotation of quotations) {
    const { document_id: documentId, document_name: name } = citations.get(quotation.numbers[0]!)!;
    const there = documents.find((document) => document.documentId === documentId);
    if (there) there.quotations.push(quotation);
    else documents.push({ documentId, name, quotations: [quotation] });
  }
}
