import type { Citation } from "../api/types";
import { today } from "../print/printing";
import { copied } from "./answer/copying";

const STYLE = "body{font:11pt Georgia,serif;max-width:42rem;margin:2rem auto;line-height:1.5}h1{font-size:18pt}h2{font-size:13pt;margin-top:2em}h3{font-size:11pt}blockquote{margin:.4em 0 .8em;border-left:3px solid #ccc;padding-left:1em}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3em .6em;text-align:left;vertical-align:top}";

const escaped = (text: string): string => Object.assign(document.createElement("i"), { textContent: text }).innerHTML;

/** A conversation as one file that browsers and word processors open: its questions and answers as the page shows them, with full citations and sources. */
export function conversationFile(root: ParentNode, title: string, about: string, citations: ReadonlyMap<number, Citation>): Blob {
  const byId = new Map([...citations.values()].map((citation) => [citation.citation_id, citation]));
  const turns = [...root.querySelectorAll<HTMLElement>("article[data-print-title]")].map((turn) => {
    const answers = [...turn.querySelectorAll<HTMLElement>("[data-testid=answer]")].map((answer) => {
      const box = answer.firstElementChild as HTMLElement;
      const ids = new Set([...box.querySelectorAll<HTMLElement>("[data-citation]")].map((chip) => chip.dataset.citation!));
      return copied(box, citations, { coverage: answer.dataset.coverage ?? "", sources: [...ids].flatMap((id) => byId.get(id) ?? []) }).html;
    });
    return `<h2>${escaped(turn.querySelector("h2")?.textContent ?? "")}</h2>${answers.join("") || "<p>There is no answer.</p>"}`;
  });
  return new Blob([`<!doctype html><html><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><h1>${escaped(title)}</h1><p>${escaped([about, `saved on ${today()}`].filter(Boolean).join(" · "))}</p>${turns.join("")}</body></html>`], { type: "text/html" });
}

export function saveFile(file: Blob, name: string): void {
  const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `${name.replace(/[\\/:*?"<>|]+/g, " ").trim().slice(0, 120)}.html` });
  anchor.click();
  URL.revokeObjectURL(anchor.href);
}
