import type { Citation } from "../api/types";

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

/** The run's state, limited to the fields that the page uses. */
export interface State extends Record<string, unknown> {
  messages?: unknown[];
  todos?: Todo[];
  citations?: Citation[];
}

export interface MatterChoice {
  matter_id: string;
  number: string;
  title: string;
  document_count: number;
}

export interface WhichMatterQuestion {
  kind: "which_matter";
  question: string;
  choices: MatterChoice[];
}
