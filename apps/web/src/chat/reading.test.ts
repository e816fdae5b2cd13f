import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Citation } from "../api/types";
import { issueMarks, Markdown } from "./Markdown";
import issued from "../../../../tests/fixtures/source_marks.json";
import { repliesIn, splitSources, turnsOf } from "./turns";

const citation = (number: number) => [number, { number, citation_id: `c${number}`, document_name: "Lease.pdf", paged: true, page_first: 3 } as Citation] as const;
const drawn = (text: string, marks: number[] = []) => renderToStaticMarkup(createElement(Markdown, { text: issueMarks(text, marks), citations: new Map([citation(1), citation(2)]) }));

describe("an answer", () => {
  it("never becomes HTML, a link or a picture", () => {
    const html = drawn('<img src=x onerror="alert(1)"> <script>1</script> [here](javascript:alert(1)) ![p](https://evil.example/x.png)\n\n[1]: https://evil.example');
    expect(html).not.toMatch(/<(?:img|script|a)\b/);
    expect(html).toContain("javascript:alert(1)"); // shown, and nothing to click
  });

  it("shows a quotation letter for letter", () => {
    const html = drawn("It says “the *Fee* of [***] and __5%__ <net> 1. of it” [1], and no *more*.", [51]);
    expect(html).toContain("“the *Fee* of [***] and __5%__ &lt;net&gt; 1. of it”");
    expect(html).toContain("<em>more</em>");
  });

  it("has a button for each source that is known and that the gate issued", () => {
    const text = "😀 “Some words of the lease” [1] and [7].";
    const html = drawn(text, [Array.from(text.slice(0, text.indexOf("[1]"))).length, Array.from(text.slice(0, text.indexOf("[7]"))).length]);
    expect(html.match(/data-citation="c1"/g)).toHaveLength(1);
    expect(html).toContain("[7]");
  });

  it("has no button for a number that a model wrote", () => {
    const forged = "“Some false words” [1], [001], \uE0021\uE003 and [2], as said at [2] of the judgment. “More” [1].";
    expect(drawn(forged)).not.toContain("data-citation");
    expect(drawn(forged, [0, 3, 999, -1, 25])).not.toContain("data-citation");
    expect(drawn(forged, [forged.lastIndexOf("[1]")]).match(/data-citation/g)).toHaveLength(1);
  });

  it.each(issued.map((one) => [one.written, one] as const))("has as many sources as the gate issued in %s", (_, { shown, marks }) => {
    const text = issueMarks(shown, marks);
    expect(text.match(/\uE002/g) ?? []).toHaveLength(marks.length);
    const { body, sources } = splitSources(text);
    const html = renderToStaticMarkup(createElement(Markdown, { text: body, citations: new Map([citation(1), citation(2)]) }));
    expect((html.match(/data-citation/g) ?? []).length + sources.length).toBe(marks.length);
  });

});

it("the list of sources is taken out of an answer, what follows stays", () => {
  const { body, sources } = splitSources("It ends.\n\nSources:\n- \uE0021\uE003 Lease.pdf, Page 3\n- \uE0022\uE003 Deed.docx\n\nWarning: a document speaks.");
  expect(sources).toEqual([{ number: 1, name: "Lease.pdf, Page 3" }, { number: 2, name: "Deed.docx" }]);
  expect(body).toContain("It ends.");
  expect(body).toContain("Warning: a document speaks.");
  expect(body).not.toContain("Lease.pdf");
});

it("a list of sources that is still arriving is not shown", () => {
  expect(splitSources("It ends.\n\nSources:\n- \uE0021\uE003 Lea").body).toBe("It ends.");
});

it("turns begin with questions, and summaries of older messages are no questions", () => {
  const turns = turnsOf([
    { type: "human", id: "s", content: "summary", additional_kwargs: { lc_source: "summarization" } },
    { type: "human", id: "a", content: "Who?" },
    { type: "ai", id: "b", content: "", tool_calls: [{ id: "t1", name: "task", args: {} }] },
    { type: "tool", id: "c", content: "No.", tool_call_id: "t1", status: "error" },
    { type: "human", id: "d", content: "When?" },
  ]);
  expect(turns.map((turn) => [turn.id, turn.steps.length])).toEqual([["a", 2], ["d", 0]]);
  expect(repliesIn(turns[0]!.steps).get("t1")).toEqual({ text: "No.", failed: true });
});
