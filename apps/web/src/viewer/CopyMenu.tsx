import { useEffect, useState } from "react";
import type { Citation } from "../api/types";
import { Icon } from "../ui/Icon";
import { aglc, citationText, fullCitation } from "./marks";
import { titleOf } from "./titles";

/** Copies the quotation with its citation, the citation alone, or the citation in AGLC form. */
export function CopyMenu({ citation }: { citation: Citation }) {
  const [done, setDone] = useState("");
  const [title, setTitle] = useState("");
  useEffect(() => {
    let over = false;
    // Without its own title, the document has its file's name.
    titleOf(citation.document_id).then((found) => !over && setTitle(found), () => undefined);
    return () => { over = true; };
  }, [citation.document_id]);
  const ways: [string, string][] = [
    ["Quotation and citation", citationText(citation)],
    ["Citation", fullCitation(citation)],
    ["AGLC", aglc(citation, title)],
  ];
  return (
    <div className="flex shrink-0 flex-wrap gap-1 @md:grid short:flex" role="group" aria-label="Copy">
      {ways.map(([name, text]) => (
        <button
          key={name}
          type="button"
          title={text}
          onClick={() => void navigator.clipboard.writeText(text).then(() => {
            setDone(name);
            setTimeout(() => setDone(""), 1500);
          })}
          className="flex items-center gap-1.5 rounded-md border border-edge/50 px-2 py-1 text-left text-xs hover:bg-wash"
        >
          <Icon name={done === name ? "check" : "copy"} size={13} /> {done === name ? "Copied" : name}
        </button>
      ))}
    </div>
  );
}
