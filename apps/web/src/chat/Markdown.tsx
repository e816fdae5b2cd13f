import { marked, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import type { Citation } from "../api/types";
import { type Check, NO_CHECKS, withoutSigns, withTints } from "./answer/checks";
import { Checked } from "./answer/Check";
import { Chip } from "./Chip";

/*
 * Renders answers, which are Markdown with quotations from documents. Documents may be hostile, so text never becomes HTML, a link or
 * an image. Quotations are shown verbatim, so Markdown syntax inside quotations is not interpreted.
 */

interface Shown {
  quotes: string[];
  citations: ReadonlyMap<number, Citation>;
  onCite: (citation: Citation) => void;
  checks: readonly Check[];
  /** The check whose words are drawn at this moment, and those that have begun. */
  now: number | null;
  begun: Set<number>;
}

const QUOTED = /“[^“”]*”|"[^"\n]+"(?=\uE006?\s?\uE002)/g;
const OPEN = "\uE000";
const SIGN = /(\uE000\d+\uE001|\uE002\d{1,3}\uE003|\uE004\d+\uE005|\uE006)/;
const PRIVATE = /^[\uE000-\uE006]$/;
const NUMBER = /^\[(\d{1,3})\]/;

/**
 * Puts a sign of our own for each source number that the gate issued, and signs around the words of its checks. `marks`: their offsets, in code points of `text`.
 * All other text loses these signs, so that nothing that a model writes becomes a source.
 */
export function issueMarks(text: string, marks: readonly number[], checks = NO_CHECKS): string {
  const points = Array.from(text);
  const out = points.map((point) => (PRIVATE.test(point) ? "" : point));
  for (const mark of marks) {
    const number = NUMBER.exec(points.slice(mark, mark + 5).join(""));
    if (number) out.fill("", mark, mark + number[0].length)[mark] = `\uE002${number[1]}\uE003`;
  }
  return withTints(out, checks).join("");
}

/** Decodes entities that the Markdown parser has escaped. */
const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const plain = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => ENTITIES[found] ?? found);

/** Called in the order of the text, as words to check go on from one token to the next. */
function words(text: string, shown: Shown): ReactNode {
  return text.split(SIGN).map((piece, n) => {
    if (n % 2 === 0) return piece && checked(piece, n, shown);
    const number = Number(piece.slice(1, -1));
    if (piece[0] === OPEN) return <q key={n} className="quoted before:content-none after:content-none">{words(restored(shown.quotes[number] ?? "", shown), shown)}</q>;
    const citation = shown.citations.get(number);
    if (piece[0] === "\uE002") return citation ? <Chip key={n} citation={citation} onCite={shown.onCite} /> : `[${number}]`;
    shown.now = piece[0] === "\uE004" ? number : null;
    return null;
  });
}

function checked(text: string, key: number, { checks, now, begun, citations, onCite }: Shown): ReactNode {
  const check = checks[now ?? -1];
  if (!check) return text;
  const first = begun.size < begun.add(now!).size;
  return <Checked key={key} check={check} first={first} citations={citations} onCite={onCite}>{text}</Checked>;
}

function inline(tokens: Token[] | undefined, shown: Shown): ReactNode {
  return (tokens ?? []).map((token, n) => {
    const children = "tokens" in token && token.tokens ? inline(token.tokens, shown) : null;
    switch (token.type) {
      case "strong": return <strong key={n}>{children}</strong>;
      case "em": return <em key={n}>{children}</em>;
      case "del": return <del key={n}>{children}</del>;
      case "codespan": return <code key={n}>{words(restored(plain(token.text), shown), shown)}</code>;
      case "br": return <br key={n} />;
      case "link": return <Fragment key={n}>{children}{token.href !== token.text && words(` (${token.href})`, shown)}</Fragment>;
      case "image": return <Fragment key={n}>{words(`[picture: ${token.text}]`, shown)}</Fragment>;
      case "text": return children ? <Fragment key={n}>{children}</Fragment> : <Fragment key={n}>{words(plain(token.text), shown)}</Fragment>;
      case "escape": return <Fragment key={n}>{words(plain(token.text), shown)}</Fragment>;
      default: return <Fragment key={n}>{words(token.raw, shown)}</Fragment>;
    }
  });
}

const restored = (text: string, shown: Shown): string =>
  text.replace(/\uE000(\d+)\uE001/g, (_, n: string) => shown.quotes[Number(n)] ?? "").replace(/\uE002(\d+)\uE003/g, "[$1]");

function block(token: Token, n: number, shown: Shown): ReactNode {
  shown.now = null;
  switch (token.type) {
    case "space": return null;
    case "paragraph": return <p key={n}>{inline(token.tokens, shown)}</p>;
    case "text": return <Fragment key={n}>{token.tokens ? inline(token.tokens, shown) : words(plain(token.text), shown)}</Fragment>;
    case "heading": return <h3 key={n}>{inline(token.tokens, shown)}</h3>;
    case "hr": return <hr key={n} />;
    case "code": return <pre key={n} tabIndex={0}><code>{withoutSigns(restored(token.text, shown))}</code></pre>;
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
    default: return <p key={n}>{words(token.raw, shown)}</p>;
  }
}

const NONE: ReadonlyMap<number, Citation> = new Map();
const nothing = () => undefined;

export const Markdown = memo(function Markdown({
  text, citations = NONE, onCite = nothing, checks = NO_CHECKS, breaks = false,
}: { text: string; checks?: readonly Check[]; breaks?: boolean; citations?: ReadonlyMap<number, Citation>; onCite?: (citation: Citation) => void }) {
  const { tokens, quotes } = useMemo(() => {
    const quotes: string[] = [];
    const kept = text.replace(/[\uE000\uE001]/g, "").replace(QUOTED, (quote) => `${OPEN}${quotes.push(quote) - 1}\uE001`);
    return { tokens: marked.lexer(kept, { gfm: true, breaks }), quotes };
  }, [text, breaks]);
  const shown: Shown = { quotes, citations, onCite, checks, now: null, begun: new Set() };
  return <div className="prose">{tokens.map((token, n) => block(token, n, shown))}</div>;
});
