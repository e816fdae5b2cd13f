import { useRef } from "react";
import { Markdown } from "../Markdown";
import { CopyButton } from "./CopyAnswer";
import { copied } from "./copying";

/** Signs of Markdown that an e-mail would show. Numbers and marks of lists stay. */
const SIGNS = /\*\*|__|^#+ /gm;

/** A text for others, such as a letter: without sources, copied by itself. */
export function Draft({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <section aria-label="Draft" data-testid="draft" className="rounded-lg border border-edge/60 bg-sheet">
      <div className="flex min-h-10 items-center justify-between border-b border-rule pr-1.5 pl-4">
        <p className="eyebrow">Draft</p>
        <CopyButton label="Copy the draft" content={() => ({ html: copied(box.current!, new Map(), { coverage: "", sources: [] }).html, text: text.replace(SIGNS, "") })} />
      </div>
      <div ref={box} className="px-4 py-3 [&_.quoted]:bg-none"><Markdown text={text} breaks /></div>
    </section>
  );
}
