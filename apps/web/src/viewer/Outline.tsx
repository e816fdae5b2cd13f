import { useLayoutEffect, useRef } from "react";
import { sectionName } from "../format";
import type { Section } from "./marks";

const INDENT_REM = 0.9;

/** The sections of a document, to go to. */
export function Outline({ sections, onGo }: { sections: readonly Section[]; onGo: (section: Section) => void }) {
  const box = useRef<HTMLElement>(null);
  // The keys of the viewer go on working when the focus vanishes with the outline.
  useLayoutEffect(() => {
    const nav = box.current!;
    return () => {
      if (nav.contains(document.activeElement)) nav.closest<HTMLElement>("[data-testid=viewer]")?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <nav ref={box} aria-label="Outline" className="scroll max-h-[40%] shrink-0 border-b border-rule bg-paper py-1.5 text-sm">
      <ul>
        {sections.map((section) => (
          <li key={section.id}>
            <button type="button" onClick={() => onGo(section)} className="block w-full truncate py-1 pr-4 text-left hover:bg-wash" style={{ paddingLeft: `${1 + (section.level - 1) * INDENT_REM}rem` }}>
              {sectionName(section.label, section.title)}{section.page_first && section.page_first > 1 ? <span className="text-soft">{`, page ${section.page_first}`}</span> : ""}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
