import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Icon, type IconName } from "./ui/Icon";

export interface Command {
  name: string;
  hint?: string;
  /** Words by which it is found, too. */
  also?: string;
  icon: IconName;
  run: () => void;
}

const MOST = 12;
/** Of one kind, so that many documents leave room for a review, a matter and a conversation. */
const OF_A_KIND = 6;

/** What is called so: the very name first, then names that begin so, then names with a word that begins so. */
export function best(commands: readonly Command[], filter: string): Command[] {
  const wanted = filter.toLowerCase().trim();
  const words = wanted.split(/\s+/).filter(Boolean);
  const rank = ({ name }: Command): number => {
    const called = name.toLowerCase();
    return called === wanted ? 0 : called.startsWith(wanted) ? 1 : ` ${called}`.includes(` ${wanted}`) ? 2 : 3;
  };
  const found = commands.filter((command) => words.every((word) => `${command.name} ${command.hint ?? ""} ${command.also ?? ""}`.toLowerCase().includes(word)));
  const ranked = wanted ? found.map((command) => ({ command, rank: rank(command) })).sort((a, b) => a.rank - b.rank).map(({ command }) => command) : found;
  const kinds = new Map<string, number>();
  const few = ranked.filter(({ icon }) => {
    const before = kinds.get(icon) ?? 0;
    kinds.set(icon, before + 1);
    return before < OF_A_KIND;
  });
  return [...few, ...ranked.filter((command) => !few.includes(command))].slice(0, Math.max(MOST, few.length));
}

/** Command palette (Ctrl-K): navigates to entries by a part of their name. */
export function Palette({ commands, onClose }: { commands: Command[]; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const [filter, setFilter] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const found = useMemo(() => best(commands, filter), [commands, filter]);
  useEffect(() => {
    const opened = box.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);

  function run(command: Command | undefined) {
    if (!command) return;
    onClose();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((now) => (found.length ? (now + (event.key === "ArrowDown" ? 1 : -1) + found.length) % found.length : 0));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[at]);
    }
  }

  return (
    <dialog
      ref={box}
      aria-label="Go to"
      onCancel={(event) => (event.preventDefault(), onClose())}
      onClick={(event) => event.target === box.current && onClose()}
      className="mx-auto mt-[12vh] w-[calc(100vw-2rem)] max-w-xl rounded-xl border border-rule bg-sheet p-0 shadow-2xl"
    >
      <div onKeyDown={onKeyDown}>
        <input
          autoFocus
          role="combobox"
          aria-label="Go to"
          aria-expanded={found.length > 0}
          aria-controls={list}
          aria-activedescendant={found[at] ? `${list}-${at}` : undefined}
          value={filter}
          onChange={(event) => (setFilter(event.target.value), setAt(0))}
          placeholder="Go to a document, a review, a matter, a conversation …"
          className="w-full rounded-t-xl border-b border-rule bg-transparent px-5 py-4 text-base placeholder:text-soft focus:outline-none"
        />
        <ul id={list} role="listbox" aria-label="Places" className="scroll max-h-[50vh] p-2 empty:pb-1">
          {found.map((command, n) => (
            <li
              key={n}
              id={`${list}-${n}`}
              role="option"
              aria-selected={n === at}
              onMouseMove={() => setAt(n)}
              onClick={() => run(command)}
              className={`flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 text-sm ${n === at ? "bg-wash" : ""}`}
            >
              <Icon name={command.icon} size={16} className="text-soft" />
              <span className="min-w-0 flex-1 truncate">{command.name}</span>
              {command.hint && <span className="text-xs text-soft">{command.hint}</span>}
            </li>
          ))}
        </ul>
        <p role="status" className={found.length === 0 ? "px-5 pb-5 text-sm text-soft" : "sr-only"}>{found.length === 0 && `Nothing is called “${filter}”.`}</p>
      </div>
    </dialog>
  );
}
