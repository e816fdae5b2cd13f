/** Actions that only record read access. */
const LOOKS = /^(?:get|list|open|find|page|locate|read|named|match|citation_lines|passage_similarities|matter_texts|document_(?:page|span|contents|changes)|review_(?:rows|changes)|visual_status|owning|neighbours)/;

/** What people call the actions of the record. Others are named by their own words. */
const WORDS: Record<string, string> = {
  add_matter_member: "person added",
  add_matter_screen: "wall put up",
  add_review_columns: "columns added to a review",
  answer: "question answered",
  answer_review: "cells of a review answered",
  create_folder: "folder made",
  create_matter: "matter opened",
  create_review: "review begun",
  delete_document: "document deleted",
  delete_folder: "folder deleted",
  delete_review: "review deleted",
  delete_thread: "conversation deleted",
  denied: "access refused",
  document_stored: "file stored",
  edit_document: "document changed",
  edit_matter: "matter changed",
  cancel_review: "review stopped",
  delete_review_column: "column of a review removed",
  edit_review: "review renamed or put in order",
  edit_review_column: "column of a review changed",
  give_up: "reading given up",
  judge_cell: "cell of a review judged",
  lift_matter_screen: "wall lifted",
  move_document: "document moved",
  move_folder: "folder moved",
  publish_revision: "document read",
  register_attachment: "attachment added",
  register_document: "document added",
  remove_matter_member: "person removed",
  rename_folder: "folder renamed",
  replay_run: "record of an answer shown",
  reprocess_document: "document read again",
  restrict_document: "document restricted",
  run_review: "review run",
  save_citation: "quotation cited",
  search_chunks: "text searched",
  search_revision_text: "text searched",
  search_visuals: "pages searched",
  set_legal_hold: "legal hold set or lifted",
  set_matter_processors: "outside services permitted or barred",
  set_retention: "retention set",
  withdraw_upload: "upload withdrawn",
};

const VERDICTS: Record<string, string> = { none: "verdict withdrawn" };
const words = (value: unknown): string => (typeof value === "string" ? value : "");

/** What an entry is about beside its document: the cell and its verdict, the name of a review or of a column. */
export function detailInWords(action: string, detail: Record<string, unknown> | null): string {
  if (!detail) return "";
  const changes = (detail.changes ?? {}) as Record<string, unknown>;
  if (action === "judge_cell") return [words(detail.column), VERDICTS[words(detail.verdict)] ?? words(detail.verdict)].filter(Boolean).join(": ");
  if (action === "create_review" || action === "delete_review") return words(detail.name);
  if (action === "edit_review") return [words(changes.name), changes.columns ? "order of the columns" : ""].filter(Boolean).join(", ");
  if (action === "edit_review_column") return words(changes.title) || words(changes.question);
  if (action === "delete_review_column") return words(detail.title);
  return "";
}

export const isLook = (action: string): boolean => LOOKS.test(action);
export const actionInWords = (action: string): string => WORDS[action] ?? action.replaceAll("_", " ");
