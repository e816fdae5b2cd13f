/** Server responses, limited to the fields that the page uses. */
export interface User {
  user_id: string;
  email: string;
  display_name: string;
  tenant_name: string;
  is_admin: boolean;
  is_conflicts_officer?: boolean;
  expires_in?: number | null;
}

export interface Installation {
  engine: string;
  engine_offline: boolean;
  model: string;
  model_offline: boolean;
  timezone: string;
  max_file_mb: number;
  max_chat_files: number;
}

export type Role = "owner" | "editor" | "viewer";

export interface Matter {
  id: string;
  number: string;
  title: string;
  kind: string;
  role: Role | null;
  document_count: number;
  created_at: string;
  archived_at: string | null;
}

export interface Member {
  user_id: string;
  email: string;
  display_name: string;
  role: Role;
}

export interface Document {
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  status: string;
  status_reason: string;
  created_at: string;
  folder_id: string | null;
  stage: string | null;
  stage_done: number | null;
  stage_total: number | null;
  legal_hold: boolean;
  has_revision: boolean;
  page_count: number | null;
  paged: boolean | null;
  char_count?: number | null;
  attached_to?: { id: string; filename: string } | null;
}

export interface Rectangle {
  page: number;
  /** x0, y0, x1, y1 in points from the top left corner. */
  box: [number, number, number, number];
}

/** A verified quotation from the run's state or `/api/citations`. */
export interface Citation {
  number?: number;
  citation_id: string;
  document_id: string;
  document_name: string;
  revision_id: string;
  start: number;
  end: number;
  text: string;
  paged: boolean;
  page_first: number;
  page_last: number;
  section_label: string | null;
  section_title: string | null;
  /** How the answer shows it; missing for a citation that is looked up by its id. */
  standing?: "answer" | "likely" | "nearest";
  rectangles: Rectangle[];
}

export const PENDING = new Set(["uploading", "queued", "extracting", "ocr", "chunking", "embedding"]);
export const READABLE = new Set(["ready", "partial"]);
