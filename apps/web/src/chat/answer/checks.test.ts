import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import type { Citation } from "../../api/types";
import { Names } from "../../names";
import { issueMarks, Markdown } from "../Markdown";
import { type Message, withPiece } from "../run/messages";
import { splitSources } from "../turns";
import { checksOf } from "./checks";

vi.stubGlobal("location", { pathname: "/app", search: "" });
const { Answer } = await import("./Answer");

const citations = new Map([[1, { number: 1, citation_id: "c1", document_id: "a", document_name: "Lease.pdf" } as Citation]]);
const points = (text: string) => Array.from(text).length;
const check = (text: string, words: string, verdict = "contradicted") => ({ start: points(text.slice(0, text.indexOf(words))), end: points(text.slice(0, text.indexOf(words) + words.length)), verdict, reason: "", citations: ["c1"], place: "" });
const message = (content: string, checks: object[]): Message => ({ type: "ai", id: "m", content, additional_kwargs: { checks } });

/** The text as it is drawn, with the words to check in ⟦⟧. */
function drawn(text: string, words: string, marks: number[] = []): string {
  const checks = checksOf(message(text, [check(text, words)]));
  return renderToStaticMarkup(createElement(Markdown, { text: issueMarks(text, marks, checks), checks, citations }))
    .replace(/<span data-check="contradicted"><span [^>]*role="button"[^>]*>([^<]*)<\/span><\/span>/g, "⟦$1⟧").replace(/<span><span class="told"[^>]*>([^<]*)<\/span><\/span>/g, "⟦$1⟧").replace(/<button.*?<\/button>/g, "#").replace(/ (?:class|tabindex|scope)="[^"]*"/gi, "");
}

it.each([
  ["😀𝔸 The **rent is *nine*** years.", "𝔸 The **rent is *nine*** years.", "😀⟦𝔸 The ⟧<strong>⟦rent is ⟧<em>⟦nine⟧</em></strong>⟦ years.⟧"],
  ["See __the term__ (_six years_) and `x`.", "__the term__ (_six years_) and `x`", "See <strong>⟦the term⟧</strong>⟦ (⟧<em>⟦six years⟧</em>⟦) and ⟧<code>⟦x⟧</code>."],
  ["The [term](https://a.example) ends.", "term](https://a.example) ends", "The ⟦term⟧⟦ (https://a.example)⟧⟦ ends⟧."],
  ["It says “nine *years*” [1]. More.", "“nine *years*” [1].", "It says <q>⟦“nine *years*”⟧</q>⟦ ⟧#⟦.⟧ More."],
  ["\uE004\uE0050\uE006 It is \uE0040\uE005nine\uE006 years.", "nine", "0 It is 0⟦nine⟧ years."],
])("tints words of %s", (text, words, shown) => {
  expect(drawn(text, words, text.includes("[1]") ? [points(text.slice(0, text.indexOf("[1]")))] : [])).toBe(`<div><p>${shown}</p></div>`);
});

it("tints list items and cells of tables, which stay what they are", () => {
  const text = "1. **One** is so.\n2. Two is not.\n\n| Term | Rent |\n|------|:-----|\n| six | $5,000 |\n\n# End\n\n```\nTwo\n```";
  expect(drawn(text, "2. Two is not.")).toContain("<ol start=\"1\"><li><strong>One</strong> is so.</li><li>⟦Two is not.⟧</li></ol>");
  expect(drawn(text, "| $5,000 |")).toContain("<td>six</td><td>⟦$5,000⟧</td>");
  expect(drawn(text, text).replace(/[⟦⟧]/g, "")).toBe(drawn(text, "```"));
});

it("sets apart the product's notice and drafts; the same words of a model are text", () => {
  const forged = "Check before you rely on it:\n- Nothing.";
  const text = `It is so.\n\n${forged}\n\n\`\`\`draft\nDear *Ann*\n“Nine.” [1]\n\nAsked: you.\n\`\`\`\n\n`;
  const own = `${text}Check before you rely on it:\n- It is so.\n\nSources:\n- [1] Lease.pdf`;
  const shown = (content: string, checks: object[]) => renderToStaticMarkup(createElement(Answer, { text: issueMarks(content, [points(content.slice(0, content.indexOf("[1]"))), points(content.slice(0, content.lastIndexOf("[1]")))], checksOf(message(content, checks))), checks: checksOf(message(content, checks)), citations, asked: { documents: [], chosen: null, names: new Names([]) }, earlier: "", onCite: () => undefined, onAskRest: undefined }));
  const html = shown(own, [check(own, "It is so."), check(own, "Nine", "not found"), check(own, "Dear", "own words")]);
  expect(html).toContain('<p>Check before you rely on it:</p><ul><li>Nothing.</li></ul>');
  expect(html).toMatch(/bg-warn-wash.*Check before you rely on it:<\/p><ul><li>It is so/);
  expect(html).toContain("2 statements to check");
  expect(html).toMatch(/data-testid="draft".*<p>Dear <em>Ann<\/em><br\/><q [^>]*>“Nine.”<\/q><\/p><p>Asked: you.<\/p><\/div>/);
  expect(splitSources(forged)).toMatchObject({ body: forged, notice: "" });
  expect(shown(forged, [])).not.toContain("bg-warn-wash");
});

it("takes the checks of the last piece that has some", () => {
  const pieces = [{ checks: [1], source_marks: [2] }, {}, { checks: [3], source_marks: [4] }, {}];
  const [merged] = pieces.reduce((messages: Message[], additional_kwargs) => withPiece(messages, { id: "m", type: "AIMessageChunk", content: "x", additional_kwargs }), []);
  expect(merged).toMatchObject({ content: "xxxx", additional_kwargs: { checks: [3], source_marks: [2, 4] } });
});
