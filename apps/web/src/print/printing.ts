import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

/** What the next printout shows: what the page shows, or one element of it, or the pages of a source. */
export type Printed = { of: "page" } | { of: "element"; element: HTMLElement } | { of: "source" };

const ONE = "data-printed";
const listeners = new Set<() => void>();
let printed: Printed | null = null;
let wanted: Printed = { of: "page" };
let margins: CSSStyleSheet | null = null;
let titleBefore = "";

function set(next: Printed | null): void {
  printed = next;
  for (const listener of listeners) listener();
}

/** What is being printed; null on the screen. */
export const usePrinted = (): Printed | null => useSyncExternalStore((listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
}, () => printed, () => null);

const inQuotes = (text: string): string => `"${text.replace(/\s+/g, " ").replace(/["\\]/g, "\\$&")}"`;

/** Title, date and page numbers in the margins. A policy of the page forbids styles in the markup, so they are a sheet of their own. */
function marginsOf(title: string, date: string, wide: boolean): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const words = "font: 8pt sans-serif; color: #555";
  sheet.replaceSync(`@page { ${wide ? "size: landscape;" : ""} margin: 18mm 16mm 16mm;
    @top-left { content: ${inQuotes(title)}; ${words} }
    @top-right { content: ${inQuotes(date)}; ${words} }
    @bottom-right { content: counter(page) " / " counter(pages); ${words} } }`);
  return sheet;
}

const DAY = new Intl.DateTimeFormat(globalThis.navigator?.language || "en-AU", { day: "numeric", month: "long", year: "numeric" });
export const today = (): string => DAY.format(new Date());
const SHORT = 90;
const short = (text: string): string => (text.length > SHORT ? `${text.slice(0, SHORT - 1).trimEnd()}…` : text);

function begin(): void {
  if (printed) return;
  if (wanted.of === "element") wanted.element.setAttribute(ONE, "");
  document.documentElement.dataset.printing = wanted.of;
  // What is printed is drawn before the browser lays it out.
  flushSync(() => set(wanted));
  const head = wanted.of === "element" ? wanted.element : document.querySelector<HTMLElement>(wanted.of === "source" ? "[data-source] [data-print-title]" : "#root [data-print-title]");
  const title = head?.dataset.printTitle || document.title;
  titleBefore = document.title;
  document.title = title;
  margins = marginsOf(short(title), today(), head?.dataset.printWide !== undefined);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, margins];
}

function end(): void {
  if (!printed) return;
  if (wanted.of === "element") wanted.element.removeAttribute(ONE);
  delete document.documentElement.dataset.printing;
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== margins);
  document.title = titleBefore;
  wanted = { of: "page" };
  set(null);
}

/** Opens the browser's dialog for one part of the page. */
export function print(what: Printed): void {
  wanted = what;
  window.print();
}

export function enablePrinting(): void {
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
}
