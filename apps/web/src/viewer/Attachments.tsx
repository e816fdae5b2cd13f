import { showSource } from "../router";
import { Icon } from "../ui/Icon";
import type { Attached } from "./apart";

/** What is attached to an e-mail or another file, each a link to its document. */
export function Attachments({ attached }: { attached: readonly Attached[] }) {
  if (!attached.length) return null;
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-x-4 gap-y-1 border-b border-rule bg-sheet px-4 py-1.5 text-sm">
      {attached.map((file, n) => (
        <li key={n} className="flex items-center gap-1.5">
          <Icon name="file" size={14} className="text-soft" />
          {file.document_id
            ? <button type="button" onClick={() => showSource({ document: file.document_id!, page: null, citation: null, words: null })} className="text-accent underline-offset-2 hover:underline">{file.name}</button>
            : <span className="text-soft" title={file.status ?? "not taken in"}>{file.name}</span>}
        </li>
      ))}
    </ul>
  );
}
