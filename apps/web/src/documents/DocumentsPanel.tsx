import type { Document, Installation, Matter } from "../api/types";
import { Empty } from "../ui/Notice";
import type { Documents, Scope } from "./useDocuments";

export function DocumentsPanel({ documents, onPreview }: { scope: Scope | null; matter: Matter | undefined; documents: Documents; conversation: () => Promise<string>; installation: Installation | null; onPreview: (document: Document) => void; onClose: (() => void) | undefined }) {
  return <div className="p-4">{documents.list?.map((d) => <button key={d.id} className="block" onClick={() => onPreview(d)}>{d.filename}</button>) ?? <Empty icon="file" title="">…</Empty>}</div>;
}
