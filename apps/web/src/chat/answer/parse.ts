import type { Citation } from "../../api/types";
import { isNameOf } from "../../names";
import { withoutSigns } from "./checks";
import { rowIn } from "./row";

export interface Quotation {
  /** With its quotation marks. */
  text: string;
  numbers: number[];
  /** What stands before it in its line. */
  lead: string;
  /** What it is about: the heading above it, or the label of its line. */
  topic: string;
}

export interface DocumentQuotations {
  documentId: string;
  name: string;
  /** What the quotations say, such as a date or a period. */
  value: string;
  quotations: Quotation[];
}

export interface ListedDocument {
  id: string;
  name: string;
  status: string;
}

export type Part = { kind: "prose"; text: string } | { kind: "draft"; text: string } | { kind: "quotations"; documents: DocumentQuotations[] } | { kind: "listing"; documents: ListedDocument[] };

export interface Coverage {
  asked: number;
  /** Null where the answer names the only document that was asked. */
  total: number | null;
}

export interface ReadAnswer {
  parts: Part[];
  coverage: Coverage | null;
  /** How the answer was found: engine, planner, what was read. */
  notes: string[];
}

/** A line that is a heading in bold: a document's name or a subject. */
const HEADING = /^(?:In |Clauses of )?\*\*([^*\uE004]+)\*\*:?$/;
const COVERAGE = /^Asked: (\d[\d,]*) of (\d[\d,]*) documents\b/;
const ONE_ASKED = /^Asked: \S/;
const NOTE = /^(?:Engine: |Read: |Read as: |Read by text recognition|Searched: |Asked: |Not asked yet: |_Offline planner: )/;
/** Words for the agents. */
const FOR_AGENTS = / Go on with first=\d+\./;
/** What was not read stays in sight: an answer may be missing because of it. */
const WARNING = /^Not read/;
/** A document in a list of a matter's documents. */
const LISTED = /^\d+\. (?<name>.+)\n(?:   - .+\n)*?   - Status: (?<status>.+)\n(?:   - .+\n)*   ID: (?<id>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;
/** A text for others, in a fence; one that is still arriving has no end. */
const DRAFT = /^(?<fence>`{3,})draft[ \t]*\n(?<draft>[\s\S]*?)(?:^\k<fence>`*[ \t]*$|(?![\s\S]))/;
const SET_APART = new RegExp(`${DRAFT.source}|${LISTED.source}`, "gm");

/**
 * Reads an answer with issued source numbers (`issueMarks`): lines that are quotations, with or without their document's name, are grouped by the document of their sources, which
 * the run's state names; lists of documents are lists; drafts and notes on how it was found are set apart; all else is prose.
 */
export function readAnswer(body: string, citations: ReadonlyMap<number, Citation>): ReadAnswer {
  const parts: Part[] = [];
  const notes: string[] = [];
  let coverage: Coverage | null = null;
  let at = 0;
  for (const found of body.matchAll(SET_APART)) {
    read(body.slice(at, found.index));
    const { draft, id = "", name = "", status = "" } = found.groups!;
    const listed = { id, name, status };
    const last = parts.at(-1);
    if (draft !== undefined) parts.push({ kind: "draft", text: withoutSigns(draft).trimEnd() });
    else if (last?.kind === "listing") last.documents.push(listed);
    else parts.push({ kind: "listing", documents: [listed] });
    at = found.index + found[0].length;
  }
  read(body.slice(at));
  return { parts, coverage, notes };

  function read(text: string): void {
    let prose: string[] = [];
    let topic = "";
    const flush = () => {
      const said = prose.join("\n").trim();
      if (said) parts.push({ kind: "prose", text: said });
      prose = [];
    };
    for (const line of text.split("\n")) {
      const trimmed = line.trim();
      const row = rowIn(trimmed, citations);
      if (row) {
        const headings: string[] = [];
        for (let above = -1; ; prose.length = above) {
          above = prose.findLastIndex((earlier) => earlier.trim());
          const heading = HEADING.exec(prose[above]?.trim() ?? "")?.[1]?.replace(/:$/, "");
          if (!heading) break;
          headings.push(heading);
        }
        if (headings.length || prose.some((earlier) => earlier.trim())) topic = headings.filter((heading) => !isNameOf(heading, row.document.document_name)).reverse().join(": ");
        flush();
        group(parts, row.value, row.quotations.map((quotation) => ({ ...quotation, topic: quotation.topic || topic })), citations);
      } else if (NOTE.test(trimmed) && !WARNING.test(trimmed)) {
        const found = COVERAGE.exec(trimmed);
        if (found) coverage = { asked: count(found[1]!), total: count(found[2]!) };
        else if (ONE_ASKED.test(trimmed)) coverage ??= { asked: 1, total: null };
        notes.push(trimmed.replace(/^_|_$/g, "").replace(FOR_AGENTS, ""));
      } else prose.push(line);
    }
    flush();
  }
}

const count = (digits: string): number => Number(digits.replaceAll(",", ""));

function group(parts: Part[], value: string, quotations: Quotation[], citations: ReadonlyMap<number, Citation>): void {
  const last = parts.at(-1);
  const documents = last?.kind === "quotations" ? last.documents : [];
  if (last?.kind !== "quotations") parts.push({ kind: "quotations", documents });
  for (const [n, quotation] of quotations.entries()) {
    const { document_id: documentId, document_name: name } = citations.get(quotation.numbers[0]!)!;
    let there = documents.find((document) => document.documentId === documentId);
    if (!there) documents.push((there = { documentId, name, value: "", quotations: [] }));
    if (n === 0 && value) there.value ||= value;
    there.quotations.push(quotation);
  }
}
