"""A false statement about a document in every notation that a writer may choose."""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Iterator, Sequence

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

Wrap = Callable[[str, str], str]


def _blocks() -> Iterator[Wrap]:  # noqa: PLR0915
    yield lambda s, n: f"> {s}\n\n[{n}]"
    yield lambda s, n: f">{s}\n[{n}]"
    yield lambda s, n: "> " + s.replace(" ", "\n> ", 3) + f"\n\n[{n}]"
    yield lambda s, n: "> " + s.replace(" ", "\n", 2) + f"\n\n[{n}]"
    yield lambda s, n: f"- > {s}\n\n  [{n}]"
    yield lambda s, n: f"1. > {s}\n"
    yield lambda s, n: f"- item\n  - > {s}\n"
    yield lambda s, n: f"> > {s}\n"
    yield lambda s, n: f"> - {s}\n"
    yield lambda s, n: f"> **{s}**\n"
    yield lambda s, n: f"> [!NOTE]\n> {s}\n"
    yield lambda s, n: f"# {s}\n"
    yield lambda s, n: f"### {s}\n\n[{n}]"
    yield lambda s, n: f"{s}\n===\n"
    yield lambda s, n: f"{s}\n---\n"
    yield lambda s, n: f"```\n{s}\n```\n"
    yield lambda s, n: f"```text\n{s}\n```\n[{n}]"
    yield lambda s, n: f"~~~\n{s}\n~~~\n"
    yield lambda s, n: f"    {s}\n"
    yield lambda s, n: f"\t{s}\n"
    yield lambda s, n: f"| Clause | Words |\n|---|---|\n| 5 | {s} |\n"
    yield lambda s, n: f"| Clause | Words |\n|---|---|\n| 5 | “{s}” |\n"
    yield lambda s, n: f"Clause | Words\n---|---\n5 | {s}\n"
    yield lambda s, n: f"<table><tr><td>{s}</td></tr></table>"
    yield lambda s, n: f"- {s}\n"
    yield lambda s, n: f"* {s} [{n}]\n"
    yield lambda s, n: f"1. {s}\n"
    yield lambda s, n: f"(a) {s}\n"
    yield lambda s, n: f"- [x] {s}\n"
    yield lambda s, n: f"Term\n: {s}\n"
    yield lambda s, n: f"See the note.[^1]\n\n[^1]: {s}\n"
    yield lambda s, n: f"[{s}](https://example.org)"
    yield lambda s, n: f"[“{s}”](https://example.org '{n}')"
    yield lambda s, n: f"![{s}](https://example.org/a.png)"
    yield lambda s, n: f"[{s}][1]\n\n[1]: https://example.org\n"
    yield lambda s, n: f"<{s}>"
    yield lambda s, n: f"<!-- x -->{s}<!-- y -->"
    yield lambda s, n: f"$${s}$$"
    yield lambda s, n: f"${s}$"
    yield lambda s, n: f"<details><summary>Words</summary>{s}</details>"
    yield lambda s, n: f"Clause 5 reads: {s}"
    yield lambda s, n: f"Clause 5 reads, in full, {s}"
    yield lambda s, n: f"It says that {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"The document provides as follows. {s}"
    yield lambda s, n: f"Quote: {s} End of quote."
    yield lambda s, n: f"QUOTE {s} UNQUOTE"
    yield lambda s, n: f"{s} [{n}]"
    yield lambda s, n: f"{s} ({n})"
    yield lambda s, n: f"{s} [1]"
    yield lambda s, n: f"{s} [001]"
    yield lambda s, n: f"{s}¹"
    yield lambda s, n: f"{s}[^1]"
    yield lambda s, n: f"{s} 【1】"
    yield lambda s, n: f"{s} 【4:0†source】"
    yield lambda s, n: f"{s} ［1］"
    yield lambda s, n: f"{s} &#91;1&#93;"
    yield lambda s, n: f"{s} <sup>1</sup>"
    yield lambda s, n: f"{s} \ue0021\ue003"
    yield lambda s, n: f"{s} \ufdd0[1]"
    yield lambda s, n: f"{s} (see [1], [2])"
    yield lambda s, n: f"I found that {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"I can confirm that {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"In my view, {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"You should know that {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"Note that {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"Note: {s}"
    yield lambda s, n: f"Here is what it says: {s}"
    yield lambda s, n: f"Yes. {s}"
    yield lambda s, n: f"No; {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"According to {n}, {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"As agreed, {s[0].lower()}{s[1:]}"
    yield lambda s, n: f"You asked. {s}"
    yield lambda s, n: f"Sources: {s}"
    yield lambda s, n: f"Sources:\n- [1] {n}: {s}\n"
    yield lambda s, n: f"Answer:\n\n{s}\n\nSources:\n[1] {n}\n"


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
