import { useState } from "react";
import type { Document } from "../../api/types";
import { count, plural } from "../../format";
import { Icon } from "../../ui/Icon";
import { ScopePicker } from "./ScopePicker";

export interface DocumentScope {
  documents: Document[];
  paths: ReadonlyMap<string, string>;
  /** Ids of the chosen documents; null: all. */
  chosen: readonly string[] | null;
  onChosen: (ids: string[] | null) => void;
}

/** How many documents questions look into; opens the list to tick. */
export function ScopeChip({ documents, paths, chosen, onChosen }: DocumentScope) {
  const [open, setOpen] = useState(false);
  if (!documents.length) return null;
  const label = chosen ? `${count(chosen.length)} of ${plural(documents.length, "document")}` : plural(documents.length, "document");
  return (
    <span className={`flex shrink-0 items-center rounded-full text-sm ${chosen ? "bg-wash text-accent ring-1 ring-accent/40" : "text-soft"}`}>
      <button type="button" onClick={() => setOpen(true)} aria-haspopup="dialog" title="Choose the documents that questions look into" className="flex items-center gap-1.5 rounded-full px-2.5 py-1 whitespace-nowrap hover:bg-wash hover:text-ink" data-testid="scope">
        <Icon name="file" size={14} /> {label}
      </button>
      {chosen && (
        <button type="button" aria-label="Look into all documents again" title="Look into all documents again" onClick={() => onChosen(null)} className="mr-1 grid size-6 place-items-center rounded-full hover:bg-sheet"><Icon name="close" size={12} /></button>
      )}
      {open && <ScopePicker documents={documents} paths={paths} chosen={chosen} onChosen={onChosen} onClose={() => setOpen(false)} />}
    </span>
  );
}
