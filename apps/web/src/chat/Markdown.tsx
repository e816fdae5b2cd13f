import { marked, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import type { Citation } from "../api/types";
import { Chip } from "./Chip";
import { meaningOf, splitNotes } from "./gateNotes";

/*
 * Renders answers, which are Markdown with quotations from documents. Documents may be hostile, so text never becomes HTML, a link or
 * an image. Quotations are shown verbatim, so Markdown syntax inside quotations is not interpreted.
 */

interface Shown {
  quotes: string[];
  citations: ReadonlyMap<number, Citation>;
  onCite: (citation: Citation) => void;
}

const QUOTED = /“[^“”]*”|"[^"\n]+"(?=\s?\uE002)/g;
const OPEN = "\uE000";
const CLOSE = "\uE001";
const PIECES = /\uE000(\d+)\uE001|\uE002(\d{1,3})\uE003/g;
const PRIVATE = /[\uE000-\uE003]/g;
const NUMBER = /^\[(\d{1,3})\]/;

/**
 * Puts a sign of our own for each source number that the gate issued. `marks`: their offsets, in code points of `text`.
 * All other text loses these signs, so that nothing that a model writes becomes a source.
 */
export function issueMarks(text: string, marks: readonly number[]): string {
  const points = Array.from(text);
  const out: string[] = [];
  let at = 0;
  for (const mark of [...marks].sort((a, b) => a - b)) {
    const number = NUMBER.exec(points.slice(mark, mark + 5).join(""));
    if (!number || mark < at) continue;
    out.push(points.slice(at, mark).join("").replace(PRIVATE, ""), `\uE002${number[1]}\uE003`);
    at = mark + number[0].length;
  }
  out.push(points.slice(at).join("").replace(PRIVATE, ""));
  return out.join("");
}

export function protectQuotes(text: string): { text: string; quotes: string[] } {
  const quotes: string[] = [];
  const kept = text.replace(/[\uE000\uE001]/g, "").replace(QUOTED, (quote) => {
    quotes.push(quote);
    return `${OPEN}${quotes.length - 1}${CLOSE}`;
  });
  return { text: kept, quotes };
}

export function pieces(text: string): (string | { quote: number } | { source: number })[] {
  const out: ReturnType<typeof pieces> = [];
  let at = 0;
  for (const found of text.matchAll(PIECES)) {
    if (found.index > at) out.push(text.slice(at, found.index));
    out.push(found[1] !== undefined ? { quote: Number(found[1]) } : { source: Number(found[2]) });
    at = found.index + found[0].length;
  }
  if (at < text.length) out.push(text.slice(at));
  return out;
}

function Noted({ text }: { text: string }) {
  return splitNotes(text).map((part, n) =>
    n % 2 ? <small key={n} className="gate-note" title={meaningOf(part)}>{part.slice(1, -1)}</small> : <Fragment key={n}>{part}</Fragment>);
}

/** Decodes entities that the Markdown parser has escaped. */
const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const plain = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => ENTITIES[found] ?? found);

function Text({ text, shown }: { text: string; shown: Shown }) {
  return pieces(text).map((piece, n) => {
    if (typeof piece === "string") return <Noted key={n} text={piece} />;
    if ("quote" in piece) return <q key={n} className="quoted before:content-none after:content-none">{restored(shown.quotes[piece.quote] ?? "", shown)}</q>;
    const citation = shown.citations.get(piece.source);
    return citation ? <Chip key={n} citation={citation} onCite={shown.onCite} /> : <Fragment key={n}>{`[${piece.source}]`}</Fragment>;
  });
}

function inline(tokens: Token[] | undefined, shown: Shown): ReactNode {
  return (tokens ?? []).map((token, n) => {
    const children = "tokens" in token && token.tokens ? inline(token.tokens, shown) : null;
    switch (token.type) {
      case "strong": return <strong key={n}>{children}</strong>;
      case "em": return <em key={n}>{children}</em>;
      case "del": return <del key={n}>{children}</del>;
      case "codespan": return <code key={n}>{restored(plain(token.text), shown)}</code>;
      case "br": return <br key={n} />;
      case "link": return <Fragment key={n}>{children}{token.href !== token.text && ` (${token.href})`}</Fragment>;
      case "image": return <Fragment key={n}>[picture: {token.text}]</Fragment>;
      case "text": return children ? <Fragment key={n}>{children}</Fragment> : <Text key={n} text={plain(token.text)} shown={shown} />;
      case "escape": return <Fragment key={n}>{plain(token.text)}</Fragment>;
      default: return <Text key={n} text={token.raw} shown={shown} />;
    }
  });
}

const restored = (text: string, shown: Shown): string =>
  text.replace(/\uE000(\d+)\uE001/g, (_, n: string) => shown.quotes[Number(n)] ?? "").replace(/\uE002(\d+)\uE003/g, "[$1]");

function block(token: Token, n: number, shown: Shown): ReactNode {
  switch (token.type) {
    case "space": return null;
    case "paragraph": return <p key={n}>{inline(token.tokens, shown)}</p>;
    case "text": return <Fragment key={n}>{token.tokens ? inline(token.tokens, shown) : <Text text={plain(token.text)} shown={shown} />}</Fragment>;
    case "heading": return <h3 key={n}>{inline(token.tokens, shown)}</h3>;
    case "hr": return <hr key={n} />;
    case "code": return <pre key={n} tabIndex={0}><code>{restored(token.text, shown)}</code></pre>;
    case "blockquote": return <blockquote key={n}>{token.tokens?.map((inner, m) => block(inner, m, shown))}</blockquote>;
    case "list": {
      const list = token as Tokens.List;
      const items = list.items.map((item, m) => <li key={m}>{item.tokens.map((inner, k) => block(inner, k, shown))}</li>);
      return list.ordered ? <ol key={n} start={Number(list.start) || 1}>{items}</ol> : <ul key={n}>{items}</ul>;
    }
    case "table": {
      const table = token as Tokens.Table;
      return (
        <table key={n} tabIndex={0}>
          <thead><tr>{table.header.map((cell, m) => <th key={m} scope="col">{inline(cell.tokens, shown)}</th>)}</tr></thead>
          <tbody>{table.rows.map((row, m) => <tr key={m}>{row.map((cell, k) => <td key={k}>{inline(cell.tokens, shown)}</td>)}</tr>)}</tbody>
        </table>
      );
    }
    default: return <p key={n}><Text text={token.raw} shown={shown} /></p>;
  }
}

const NONE: ReadonlyMap<number, Citation> = new Map();
const nothing = () => undefined;

export const Markdown = memo(function Markdown({
  text, citations = NONE, onCite = nothing,
}: { text: string; citations?: ReadonlyMap<number, Citation>; onCite?: (citation: Citation) => void }) {
  const { tokens, quotes } = useMemo(() => {
    const kept = protectQuotes(text);
    return { tokens: marked.lexer(kept.text, { gfm: true, breaks: false }), quotes: kept.quotes };
  }, [text]);
  return <div className="prose">{tokens.map((token, n) => block(token, n, { quotes, citations, onCite }))}</div>;
});
