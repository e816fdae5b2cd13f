import { useState } from "react";
import { plural } from "../format";
import { Icon } from "../ui/Icon";
import { type Apart, KINDS } from "./apart";

const LOOKS: Record<Apart["kind"], string> = {
  struck: "line-through", deletion: "line-through", "move away": "line-through",
  hidden: "rounded-sm px-0.5 italic outline-1 outline-dashed outline-edge",
};

/** Words as they look in the file: struck out, or hidden. They cannot be selected, so that nobody copies them as what the document says. */
export function ApartWords({ entries, placed = false }: { entries: readonly Apart[]; placed?: boolean }) {
  if (!entries.length) return null;
  return (
    <ul className="my-1 space-y-0.5 font-sans text-sm text-soft select-none" data-testid="apart" aria-label="Kept out of the text">
      {entries.map((entry, n) => (
        <li key={n} className="[overflow-wrap:anywhere]">
          <span className="text-xs">{[placed ? entry.place : "", KINDS[entry.kind]].filter(Boolean).join(", ")}: </span>
          {entry.kind === "hidden" ? <span className={LOOKS.hidden}>{entry.text}</span> : <del className={LOOKS[entry.kind]}>{entry.text}</del>}
        </li>
      ))}
    </ul>
  );
}

const FIRST = 20;

/** The viewer's note: what was kept out of the text, and where it stands. */
export function ApartNote({ entries }: { entries: readonly Apart[] }) {
  const [open, setOpen] = useState(false);
  if (!entries.length) return null;
  const counted = Object.entries(KINDS).flatMap(([kind, name]) => {
    const found = entries.filter((entry) => entry.kind === kind);
    const places = [...new Set(found.map(({ place }) => place).filter(Boolean))];
    const named = places.slice(0, 3).join(", ") + (places.length > 3 ? " …" : "");
    return found.length ? [`${name} in ${plural(found.length, "place")}${named ? ` (${named})` : ""}`] : [];
  });
  return (
    <div className="border-b border-rule bg-warn-wash px-4 py-1.5 text-sm text-warn" data-testid="apart-note">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className="flex w-full items-start gap-1.5 text-left">
        <Icon name="warning" size={14} className="mt-1" />
        <span>Words {counted.join("; ")}: no part of the text that is searched and quoted.</span>
      </button>
      {open && (
        <div className="scroll max-h-48 overflow-y-auto" tabIndex={0} role="group" aria-label="Words kept out of the text">
          <ApartWords entries={entries.slice(0, FIRST)} placed />
          {entries.length > FIRST && <p>… and {entries.length - FIRST} more.</p>}
        </div>
      )}
    </div>
  );
}
