import { useId, useLayoutEffect, useRef, useState } from "react";
import { get, q } from "../../api/http";
import type { Citation } from "../../api/types";
import { fullCitation } from "../../viewer/marks";
import { type Check, TOLD } from "./checks";
import { putBeside } from "./Preview";

const AFTER_MS = 250;

/** Words of an answer to check. A card says why: while the pointer is there, or after a click until the focus is elsewhere. `first`: whether they begin here, which is where the keyboard stops. */
export function Checked({ check, first, citations, onCite, children }: { check: Check; first: boolean; citations: ReadonlyMap<number, Citation>; onCite: (citation: Citation) => void; children: string }) {
  const [open, setOpen] = useState<"" | "hovered" | "kept">("");
  const box = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const card = useId();
  const verdict = TOLD[check.verdict]!;
  const hover = (over: boolean) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen((now) => (now === "kept" ? now : over ? "hovered" : "")), AFTER_MS);
  };
  useLayoutEffect(() => {
    if (!open) return;
    const [words, shown] = box.current!.children as unknown as [HTMLElement, HTMLElement];
    const put = () => putBeside(shown, words);
    const gone = new AbortController();
    put();
    addEventListener("scroll", put, { capture: true, signal: gone.signal });
    addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      if (shown.contains(document.activeElement)) words.focus();
      setOpen("");
    }, { signal: gone.signal });
    return () => gone.abort();
  }, [open]);
  const known = (id: string) => [...citations.values()].find((citation) => citation.citation_id === id);
  const stored = (id: string) => get<Citation & { quote: string }>(`/api/citations/${q(id)}`).then((found) => ({ ...found, citation_id: id, text: found.quote }));
  return (
    <span
      ref={box} {...(first ? { "data-check": check.verdict } : {})} onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || setOpen("")}
      onPointerEnter={(event) => event.pointerType === "mouse" && hover(true)} onPointerLeave={() => hover(false)}
    >
      <span
        className="told" data-verdict={check.verdict} tabIndex={first ? 0 : -1} onClick={() => setOpen("kept")} onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), setOpen("kept"))}
        {...(first ? { role: "button", "aria-label": `${verdict}: ${children}`, "aria-description": check.reason, "aria-expanded": open !== "", "aria-controls": open ? card : undefined } : {})}
      >{children}</span>
      {open && (
        <span id={card} role="group" aria-label={verdict} tabIndex={-1} data-nocopy data-noprint data-testid="check"
          className="fixed z-40 block w-80 max-w-[calc(100vw-1rem)] rounded-lg border border-edge/60 bg-sheet px-3.5 py-2.5 text-left font-sans text-sm leading-snug font-normal whitespace-normal text-ink not-italic shadow-xl">
          <span className={`block font-semibold ${check.verdict === "contradicted" ? "text-bad" : "text-warn"}`}>{verdict}</span>
          <span className="mt-1 block empty:hidden">{check.reason}</span>
          {check.citations.length === 0 && <span className="mt-1 block text-soft empty:hidden">{check.place}</span>}
          {check.citations.map((id, n) => {
            const citation = known(id);
            return <button key={id} type="button" onClick={() => void (citation ? onCite(citation) : stored(id).then(onCite, () => undefined))} className="mt-1.5 block text-left text-accent underline underline-offset-2">{citation ? fullCitation(citation) : (n === 0 && check.place) || "Show the words in the document"}</button>;
          })}
        </span>
      )}
    </span>
  );
}
