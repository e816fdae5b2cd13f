import type { Document } from "../api/types";

export type Row =
  | { kind: "folder"; key: string; id: string | null; name: string; documents: Document[] }
  | { kind: "document"; key: string; document: Document };

const ROOT = "";

/** The rows of a list: documents, under their folders where there are any. `folded`: keys of folders whose documents are hidden. */
export function rowsOf(documents: readonly Document[], paths: ReadonlyMap<string, string>, folded: ReadonlySet<string>): Row[] {
  const alone = (document: Document): Row => ({ kind: "document", key: document.id, document });
  if (!paths.size) return documents.map(alone);
  const within = new Map<string, Document[]>([[ROOT, []]]);
  for (const document of documents) {
    const folder = document.folder_id && paths.has(document.folder_id) ? document.folder_id : ROOT;
    within.set(folder, [...(within.get(folder) ?? []), document]);
  }
  const folders = [...paths].sort(([, a], [, b]) => a.localeCompare(b));
  return [...folders, [ROOT, "Outside folders"] as const].flatMap(([id, name]) => {
    const there = within.get(id) ?? [];
    const key = `folder ${id}`;
    return [{ kind: "folder", key, id: id || null, name, documents: there } satisfies Row, ...(folded.has(key) ? [] : there.map(alone))];
  });
}
