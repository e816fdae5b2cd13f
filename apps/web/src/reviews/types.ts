/** Reviews as `/api/matters/{m}/reviews` returns them. */
export type AnswerType = "text" | "date" | "duration" | "money" | "number" | "yes_no" | "jurisdiction" | "parties" | "choice";

export interface Column {
  id: string;
  title: string;
  question: string;
  answer_type: AnswerType;
  options?: string[];
  edition: number;
  /** Number of cells by state. */
  states: Record<string, number>;
  verdicts: number;
}

export interface Review {
  id: string;
  matter_id: string;
  name: string;
  status: "draft" | "running" | "done" | "cancelled";
  documents: number;
  waiting: number;
  changed: number;
  columns: Column[];
}

export interface Value {
  type: AnswerType;
  text: string;
  iso?: string | null;
  number?: number | null;
  conflict?: string;
  partial?: boolean;
  computed?: string;
}

export interface CellCitation {
  id: string;
  quote: string;
  page: number;
  paged: boolean;
  section_label: string | null;
  section_title: string | null;
}

export interface Cell {
  id: string;
  column_id: string;
  document_id: string;
  state: "queued" | "found" | "candidate" | "not_found" | "failed" | "stale";
  edition: number;
  changed: number;
  value: Value | null;
  citations: CellCitation[];
  read: { characters: number; pages: number | null; unread: number[]; incomplete: string } | null;
  engine: string | null;
  model: string | null;
  note: string;
  verdict: { verdict: "accepted" | "corrected" | "rejected"; value: Value | null; note: string; by: string | null; at: string; current: boolean } | null;
}

export interface ReviewedDocument {
  id: string;
  filename: string;
  status: string;
  status_reason: string;
  current_revision_id: string | null;
}

export interface Row {
  document: ReviewedDocument;
  /** By id of the column. */
  cells: ReadonlyMap<string, Cell>;
}

export type Verdict = "accepted" | "corrected" | "rejected" | "none";
