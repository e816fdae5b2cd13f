import { useState } from "react";
import type { Citation } from "../api/types";
import { Icon } from "../ui/Icon";
import { aglc, citationText, placeOf } from "./marks";

/** Copies the quotation with its location, the location alone, or an AGLC citation. */
export function CopyMenu({ citation }: { citation: Citation }) {
  const [done, setDone] = useState("");
  const ways: [string, string][] = [
    ["Quotation and citation", citationText(citation)],
    ["Citation", placeOf(citation) || citation.document_name],
    ["AGLC", aglc(citation)],
  ];
  return (
    <div className="flex shrink-0 flex-wrap gap-1 @md:grid" role="group" aria-label="Copy">
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
