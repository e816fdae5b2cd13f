import { day, plural, size, typeName } from "../../format";
import { showSource } from "../../router";
import type { Asked } from "./Answer";
import type { ListedDocument } from "./parse";

/** A list of documents: each opens, with what it is and when it came, in the reader's zone. */
export function Listing({ listed, asked }: { listed: ListedDocument[]; asked: Asked }) {
  const byId = new Map(asked.documents.map((document) => [document.id, document]));
  return (
    <ol className="divide-y divide-rule rounded-lg border border-rule bg-sheet" data-testid="listing">
      {listed.map(({ id, name, status }) => {
        const document = byId.get(id);
        const facts = document
          ? [typeName(document.content_type, document.filename), document.paged && document.page_count ? plural(document.page_count, "page") : "", size(document.size_bytes), `added ${day(document.created_at)}`, status === "ready" ? "" : status]
          : [status];
        return (
          <li key={id} className="px-3.5 py-2">
            <p className="font-serif" title={name}>{document
              ? <button type="button" onClick={() => showSource({ document: id, page: null, citation: null, words: null })} className="text-left text-accent hover:underline [overflow-wrap:anywhere]">{asked.names.of(name)}</button>
              : asked.names.of(name)}</p>
            <p className="text-sm text-soft">{facts.filter(Boolean).join(" · ")}</p>
          </li>
        );
      })}
    </ol>
  );
}
