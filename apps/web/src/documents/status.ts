import { type Document, PENDING } from "../api/types";
import { count } from "../format";

export type Kind = "busy" | "good" | "partial" | "failed";

const STAGES: Record<string, string> = {
  uploading: "Arriving",
  queued: "Waiting to be read",
  extracting: "Reading",
  ocr: "Recognising text",
  chunking: "Dividing into passages",
  embedding: "Indexing",
};

/** Status text of a document: the stage with page n of m, or the result with its reason. */
export function statusOf(document: Document): { kind: Kind; label: string; reason: string } {
  const { status, status_reason: reason } = document;
  if (PENDING.has(status)) {
    const stage = STAGES[document.stage ?? status] ?? STAGES[status] ?? "Working";
    const far = document.stage_total ? `, ${status === "ocr" || status === "extracting" ? "page " : ""}${count(document.stage_done ?? 0)} of ${count(document.stage_total)}` : "";
    return { kind: "busy", label: `${stage}${far}`, reason };
  }
  if (status === "ready") return { kind: "good", label: "Ready", reason };
  if (status === "partial") return { kind: "partial", label: "Partly read", reason: reason || "Some of it could not be read." };
  if (status === "unsupported") return { kind: "failed", label: "Not readable", reason: reason || "Files of this kind cannot be read." };
  return { kind: "failed", label: "Failed", reason: reason || "The file could not be read." };
}

/** Colours of the kinds of status. */
export const LOOKS = { busy: "text-accent", good: "text-good", partial: "text-warn", failed: "text-bad" };
