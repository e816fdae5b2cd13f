"""A false statement about a document in every notation that a writer may choose."""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Iterator, Sequence

from orderly.services.text import find_quotations

FULL = str.maketrans({chr(c): chr(c + 0xFEE0) for c in range(0x21, 0x7F)} | {" ": "\u3000"})
BOLD_LETTERS = str.maketrans(
    {chr(c): chr(0x1D400 + c - 0x41) for c in range(0x41, 0x5B)} | {chr(c): chr(0x1D41A + c - 0x61) for c in range(0x61, 0x7B)}
)
PAIRS = (
    "“ ”", "” ”", "„ “", "„ ”", "‟ ”", '" "', "' '", "‘ ’", "‚ ‘", "‚ ’", "‹ ›", "› ‹", "« »", "» «", "» »", "«\u00a0 \u00a0»", "《 》", "〈 〉", "「 」", "『 』", "`` ''", "'' ''",
    "″ ″", "＂ ＂", "❝ ❞", "❛ ❜", "〝 〞", "〝 〟", "&quot; &quot;", "&ldquo; &rdquo;", "&#8220; &#8221;", "&#x201C; &#x201D;", "&#34; &#34;", "&laquo; &raquo;", "&lsquo; &rsquo;",
    '“ "', '" ”', "“ &quot;", '\\" \\"', "\\' \\'", '**" "**', "**“ ”**", "*“ ”*", "_“ ”_", "***“ ”***", "“** **”", "“* *”", "“_ _”", "~~“ ”~~", "<q> </q>", '<q cite="x"> </q>',
    "<blockquote> </blockquote>", "<cite> </cite>", "<em> </em>", "<i> </i>", "<b> </b>", "<strong> </strong>", "<u> </u>", "<mark> </mark>", "<span> </span>", "<p> </p>", "<div> </div>",
    "<sup> </sup>", "<code> </code>", "<pre> </pre>", "` `", "`` ``", "** **", "* *", "__ __", "_ _", "*** ***", "~~ ~~", "== ==", "++ ++", "^ ^", "{ }", "⟨ ⟩", "< >", "/ /", "| |",
    "— —", "– –", "-- --", "… …", "... ...", "‖ ‖", "⸢ ⸣", "⁅ ⁆", "❮ ❯", "⹂ ‟", "‵‵ ′′", "´´ ´´", "ˮ ˮ", "〃 〃", "’’ ’’", "‘‘ ’’", ",, ''", ",, ``", "<< >>", ">> <<", "' '", "( )", "(“ ”)", "[“ ”]",
)  # fmt: skip

BLOCKS = (
    "> {s}\n\n[{n}]", ">{s}\n[{n}]", "- > {s}\n\n  [{n}]", "1. > {s}\n", "- item\n  - > {s}\n", "> > {s}\n", "> - {s}\n", "> **{s}**\n",
    "> [!NOTE]\n> {s}\n", "# {s}\n", "### {s}\n\n[{n}]", "{s}\n===\n", "{s}\n---\n", "```\n{s}\n```\n", "```text\n{s}\n```\n[{n}]",
    "~~~\n{s}\n~~~\n", "    {s}\n", "\t{s}\n", "| Clause | Words |\n|---|---|\n| 5 | {s} |\n", "| Clause | Words |\n|---|---|\n| 5 | “{s}” |\n",
    "Clause | Words\n---|---\n5 | {s}\n", "<table><tr><td>{s}</td></tr></table>", "- {s}\n", "* {s} [{n}]\n", "1. {s}\n", "(a) {s}\n", "- [x] {s}\n",
    "Term\n: {s}\n", "See the note.[^1]\n\n[^1]: {s}\n", "[{s}](https://example.org)", "[“{s}”](https://example.org '{n}')",
    "![{s}](https://example.org/a.png)", "[{s}][1]\n\n[1]: https://example.org\n", "<{s}>", "<!-- x -->{s}<!-- y -->", "$${s}$$", "${s}$",
    "<details><summary>Words</summary>{s}</details>", "Clause 5 reads: {s}", "Clause 5 reads, in full, {s}", "It says that {l}",
    "The document provides as follows. {s}", "Quote: {s} End of quote.", "QUOTE {s} UNQUOTE", "{s} [{n}]", "{s} ({n})", "{s} [1]", "{s} [001]",
    "{s}¹", "{s}[^1]", "{s} 【1】", "{s} 【4:0†source】", "{s} ［1］", "{s} &#91;1&#93;", "{s} <sup>1</sup>", "{s} \ue0021\ue003", "{s} \ufdd0[1]",
    "{s} (see [1], [2])", "I found that {l}", "I can confirm that {l}", "In my view, {l}", "You should know that {l}", "Note that {l}", "Note: {s}",
    "Here is what it says: {s}", "Yes. {s}", "No; {l}", "According to {n}, {l}", "As agreed, {l}", "You asked. {s}", "Sources: {s}",
    "Sources:\n- [1] {n}: {s}\n", "Answer:\n\n{s}\n\nSources:\n[1] {n}\n",
)  # fmt: skip
"""`s`: the statement, `l`: with a small first letter, `n`: the document's name."""

Wrap = Callable[[str, str], str]


def is_quoted(answer: str) -> bool:
    """The rule by which a form is one of a quotation: the product finds a quotation in it that is closed.

    Text behind a mark that nothing closes is no quotation for a reader, and is judged as a statement.
    """
    return any(quotation.closed for quotation in find_quotations(answer))


def _blocks() -> Iterator[Wrap]:
    yield lambda s, n: "> " + s.replace(" ", "\n> ", 3) + f"\n\n[{n}]"
    yield lambda s, n: "> " + s.replace(" ", "\n", 2) + f"\n\n[{n}]"
    yield from (lambda s, n, form=form: form.format(s=s, l=s[0].lower() + s[1:], n=n) for form in BLOCKS)  # type: ignore[misc]


def _letters() -> Iterator[Wrap]:  # noqa: PLR0915
    """Changes of the words' letters that a reader does not see or reads past."""
    yield lambda s, n: f"“{s.translate(FULL)}”"
    yield lambda s, n: s.translate(FULL)
    yield lambda s, n: f"“{s.translate(BOLD_LETTERS)}”"
    yield lambda s, n: s.translate(BOLD_LETTERS)
    yield lambda s, n: f"“{chr(0x200B).join(s)}”"
    yield lambda s, n: chr(0x200B).join(s)
    yield lambda s, n: chr(0x2060).join(s.split(" "))
    yield lambda s, n: f"“{chr(0xAD).join(s)}”"
    yield lambda s, n: chr(0xAD).join(s)
    yield lambda s, n: f"“{s.replace(' ', chr(0xA0))}”"
    yield lambda s, n: s.replace(" ", chr(0xA0))
    yield lambda s, n: f"“{s.upper()}”"
    yield lambda s, n: s.upper()
    yield lambda s, n: s.lower()
    yield lambda s, n: f"“{html.escape(s)}”"
    yield lambda s, n: "".join(f"&#{ord(c)};" for c in s)
    yield lambda s, n: f"&ldquo;{''.join(f'&#x{ord(c):x};' for c in s)}&rdquo;"
    yield lambda s, n: s.replace(" ", "\n")
    yield lambda s, n: f"“{s.replace(' ', chr(10))}”"
    yield lambda s, n: "“" + s.replace(" ", "\n\n", 1) + "”"
    yield lambda s, n: f"“{s[: len(s) // 2]}\n\n“{s[len(s) // 2 :]}”"
    yield lambda s, n: " ".join(f"“{word}”" for word in s.split())
    yield lambda s, n: " ".join(f"**{word}**" for word in s.split())
    yield lambda s, n: " ".join(f"`{word}`" for word in s.split())
    yield lambda s, n: f"“{' '.join(s.split()[:4])}” and “{' '.join(s.split()[4:])}” [{n}]"
    yield lambda s, n: f"“{' '.join(s.split()[:4])} … {' '.join(s.split()[4:])}” [{n}]"
    yield lambda s, n: f"“{' '.join(s.split()[:3])} [sic] {' '.join(s.split()[3:])}” [{n}]"
    yield lambda s, n: f"“[{s[0].lower()}]{s[1:]}” [{n}]"
    yield lambda s, n: f"“... {s} ...” [{n}]"
    yield lambda s, n: f"“{s.replace('e', 'е')}” [{n}]"
    yield lambda s, n: s.replace("e", "е")
    yield lambda s, n: f"“{s}"
    yield lambda s, n: f"{s}”"
    yield lambda s, n: f"“{s}’"
    yield lambda s, n: f"‘{s}”"
    yield lambda s, n: f"“A “{s}” B” [{n}]"
    yield lambda s, n: f"“{s} (the “Sum”)” [{n}]"
    yield lambda s, n: f"«{s} „X“» [{n}]"
    yield lambda s, n: f"It says ‘{s}’s words’."
    yield lambda s, n: "“" + " ".join(f"_{word}_" for word in s.split()) + f"” [{n}]"


FRAMES = (
    "It says {}.",
    "{}",
    "The notice clause is plain.\n\n{}\n\nThat is all.",
    "- {}\n",
    "**Answer:** {}",
    "{}\n\nAs I said, I read no more.",
)


def notations(false: Sequence[str], name: str, count: int, r: random.Random) -> Iterator[str]:
    """Yields `count` answers with one of the `false` statements; the first ones have every notation once."""
    pairs = [(pair.rpartition(" ")[0], pair.rpartition(" ")[2]) for pair in PAIRS]
    wraps: list[Wrap] = [(lambda s, n, a=a, b=b: f"{a}{s}{b} [{n}]") for a, b in pairs]  # type: ignore[misc]
    wraps += [(lambda s, n, a=a, b=b: f"{a}{s}{b}") for a, b in pairs]  # type: ignore[misc]
    wraps += [*_blocks(), *_letters()]
    for number in range(count):
        wrap = wraps[number % len(wraps)]
        written = wrap(r.choice(false), name)
        frame = "{}" if "\n" in written or number < len(wraps) // 2 else r.choice(FRAMES)
        yield frame.format(written) if "\n" not in written else written
