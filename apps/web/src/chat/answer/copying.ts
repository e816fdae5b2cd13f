import type { Citation } from "../../api/types";
import { fullCitation } from "../../viewer/marks";

const BLOCKS = "h3, h4, p, li, blockquote, tr, pre";
const STANDINGS = { answer: "", likely: "; likely, not confirmed", nearest: "; nearest, not confirmed" };

/** An answer for other programs: what is on the page, with full citations and their standing instead of numbers, how much was asked, and the sources. */
export function copied(shown: HTMLElement, citations: ReadonlyMap<number, Citation>, { coverage, sources }: { coverage: string; sources: readonly Citation[] }): { html: string; text: string } {
  const byId = new Map([...citations.values()].map((citation) => [citation.citation_id, citation]));
  const copy = shown.cloneNode(true) as HTMLElement;
  for (const chip of copy.querySelectorAll<HTMLElement>("[data-citation]")) {
    const citation = byId.get(chip.dataset.citation ?? "");
    chip.replaceWith(citation ? ` (${fullCitation(citation)}${STANDINGS[citation.standing ?? "answer"]})` : "");
  }
  for (const element of copy.querySelectorAll("[data-nocopy], svg")) element.remove();
  // Other programs know neither the page's boxes nor its marks.
  for (const element of copy.querySelectorAll("q, section, div, span, button")) element.replaceWith(...element.childNodes);
  for (const element of copy.querySelectorAll("*")) for (const { name } of [...element.attributes]) element.removeAttribute(name);
  const add = (tag: string, text: string, parent: HTMLElement = copy) => parent.appendChild(Object.assign(document.createElement(tag), { textContent: text }));
  if (coverage) add("p", `${coverage}.`);
  if (sources.length) {
    add("h3", "Sources");
    const list = add("ul", "");
    for (const citation of sources) add("li", `${fullCitation(citation)}${STANDINGS[citation.standing ?? "answer"]}`, list);
  }
  for (const end of copy.querySelectorAll("br")) end.before("\n");
  // Innermost blocks only: a list item's paragraph is one line, not two.
  const lines = [...copy.querySelectorAll<HTMLElement>(BLOCKS)].filter((block) => !block.querySelector(BLOCKS)).map((block) => wordsOf(block).replace(/\s+/g, " ").trim());
  return { html: copy.innerHTML, text: lines.filter(Boolean).join("\n\n") };
}

/** The cells of a row are set apart. */
const wordsOf = (block: HTMLElement): string => (block.tagName === "TR" ? [...block.children].map((cell) => cell.textContent!.trim()).join(" | ") : block.textContent!);
