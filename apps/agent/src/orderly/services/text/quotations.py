"""Finds what an answer quotes and cites, in every way of writing it, also while the answer is still being written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LEAST = 2
"""Characters of a quotation that claims anything."""

_CUT = re.compile(r"^\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*|\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*$")
_OPENING, _CLOSING = "“«„‟❝〝「『＂", "”»❞〞」』＂"
_BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|$))+", re.MULTILINE)
_SINGLE = re.compile(r"(?<![\w’'])(?:‘(?P<curly>[^‘\n]+)’|'(?P<straight>[^\s'](?:[^'\n]|'\w)*)'|‹(?P<angle>[^›\n]+)›)(?!\w)")
_TAGGED = re.compile(r"<(q|blockquote)\b[^>]*>(?P<text>.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE = re.compile(r"```\w*\n(?P<block>.*?)(?:\n```|\Z)|`(?P<line>[^`\n]+)`", re.DOTALL)
_BRACKET = re.compile(
    r"""[\s.,;:–—-]* \(?
    (?P<bracket> \[ (?P<square>[^\[\]\n]* (?:\[[^\[\]\n]*\][^\[\]\n]*)*) \]
               | \( (?P<round>[^()\n]* (?:\([^()\n]*\)[^()\n]*)*) \) )""",
    re.VERBOSE,
)
_NAMED_TYPE = r"\.(?:pdf|docx?|txt|md|html?|eml|msg|rtf|xlsx|pptx|csv|json|xml|png|jpe?g|tiff?)\b"
_PLACE = re.compile(rf"\b(?:Pages?|Section|Clause|Schedule|Article|Part|citation)\s+\S|{_NAMED_TYPE}", re.IGNORECASE)
"""What makes a bracket behind a quotation a citation, and not a remark."""

_NAMING = re.compile(rf"\[(?P<cited>[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*{_NAMED_TYPE}[^\[\]\n]*)\](?!\()", re.IGNORECASE)
_PAGE = re.compile(r"\bPages?\s+(\d+)", re.IGNORECASE)
_OPEN_BRACKET = 400
"""Characters after which a bracket that was never closed is no longer waited for."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted string inside an answer, with the citation behind it, if there is one."""

    start: int
    end: int
    """With the quotation marks."""
    text: str
    """Without them, and without a mark of omission at either end."""
    citation: Span | None
    """Where the citation stands, with its brackets."""
    cited: str
    """What the citation says: "Lease.pdf, Page 3, Section 2"."""

    @property
    def page(self) -> int | None:
        return page_in(self.cited)


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation that stands behind no quotation."""

    start: int
    end: int
    cited: str


def page_in(cited: str) -> int | None:
    match = _PAGE.search(cited)
    return int(match[1]) if match else None


def quotations(answer: str) -> list[Quotation]:
    """Every quotation, in order.

    A quotation inside another belongs to it. One that is never closed runs to the end of its paragraph. A mark of omission
    in the middle stays: such a quotation joins two places and is not found as one.
    """
    found = []
    for start, end, text in _spans(answer):
        inner = _CUT.sub("", _CUT.sub("", text)).strip()
        bracket = _BRACKET.match(answer, end)
        cited = (bracket["square"] or bracket["round"] or "") if bracket else ""
        citation = bracket.span("bracket") if bracket and _PLACE.search(cited) else None
        if len(inner) >= LEAST and any(char.isalnum() for char in inner):
            found.append(Quotation(start, end, inner, citation, cited if citation else ""))
    return found


def citations(answer: str) -> list[Citation]:
    """Every bracket that names a file, but those that belong to a quotation or stand inside one."""
    taken = [(q.start, q.citation[1] if q.citation else q.end) for q in quotations(answer)]
    return [
        Citation(m.start(), m.end(), m["cited"])
        for m in _NAMING.finditer(answer)
        if not any(a <= m.start() < b for a, b in taken)
    ]


def _spans(answer: str) -> list[tuple[int, int, str]]:
    """Of spans that overlap, the outermost."""
    spans = [(m.start(), m.end(), re.sub(r"^[ \t]*>[ \t]?", "", m[0], flags=re.MULTILINE)) for m in _BLOCK.finditer(answer)]
    spans += [(m.start(), m.end(), m["text"]) for m in _TAGGED.finditer(answer)]
    spans += [(start, end, answer[start + 1 : end].rstrip(_CLOSING + '"')) for start, end in _marked(answer)]
    spans += [(m.start(), m.end(), m["curly"] or m["straight"] or m["angle"]) for m in _SINGLE.finditer(answer)]
    spans += [(m.start(), m.end(), m["block"] or m["line"] or "") for m in _CODE.finditer(answer) if _cited(answer, m.end())]
    outermost: list[tuple[int, int, str]] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        if not outermost or span[0] >= outermost[-1][1]:
            outermost.append(_unwrapped(span))
    return outermost


def _cited(answer: str, end: int) -> bool:
    """Code is a quotation only where a citation says so."""
    bracket = _BRACKET.match(answer, end)
    return bool(bracket and _PLACE.search(bracket["square"] or bracket["round"] or ""))


def _unwrapped(span: tuple[int, int, str]) -> tuple[int, int, str]:
    """A block that is a quotation in marks as well: the marks are not the document's."""
    start, end, text = span
    inner = text.strip()
    if len(inner) > 1 and inner[0] in _OPENING + '"' and inner[-1] in _CLOSING + '"':
        return start, end, inner[1:-1]
    return span


def _marked(answer: str) -> Iterator[Span]:
    """Spans between double marks, outermost only."""
    depth, start = 0, 0
    for at, char in enumerate(answer):
        if (char in _OPENING and not (char in _CLOSING and depth)) or (char == '"' and _opens(answer, at, depth)):
            start = at if depth == 0 else start
            depth += 1
        elif depth and (char in _CLOSING or (char == '"' and answer[start] == '"')):
            depth -= 1
            if depth == 0:
                yield start, at + 1
        elif depth and answer.startswith("\n\n", at):
            yield start, at
            depth = 0
    if depth:
        yield start, len(answer)


def _opens(answer: str, at: int, depth: int) -> bool:
    """A straight mark opens before a word and behind a gap: the one in `6" wide` does not. Inside curly ones it is text."""
    if depth and answer[:at].rfind('"') < max(answer[:at].rfind(mark) for mark in _OPENING):
        return False
    before, after = answer[at - 1 : at], answer[at + 1 : at + 2]
    return (not before or before.isspace() or before in "([*_—–-") and bool(after) and not after.isspace()


_SENTENCE_END = re.compile(r"""(?:[.!?]["”’»)\]*_`']*[ \t]+|\n)\s*""")
_GOES_ON = "[(—–-…>,;:.)]"
"""What a sentence, or the citation of its quotation, may go on with."""
_LIST_ITEM = re.compile(r"(?:[-*•]|\d+[.)])\s")


def complete_until(text: str) -> int:
    """How much of an answer that is still being written can be judged: up to a sentence end outside every quotation,
    bracket and citation, behind which something else has begun.
    """
    held = [*((q[0], q[1]) for q in _spans(text)), *_open_ends(text)]
    cut = 0
    for match in _SENTENCE_END.finditer(text):
        at = match.end()
        if at >= len(text) or (text[at] in _GOES_ON and not _begins_item(text, match)):
            continue
        if not any(start < at < end for start, end in held):
            cut = at
    return cut


def _begins_item(text: str, gap: re.Match[str]) -> bool:
    return "\n" in gap[0] and bool(_LIST_ITEM.match(text, gap.end()))


_LINE_MARK = re.compile(r"‘|‹|(?<![\w’'])'(?=\S)")
"""Opens a quotation that ends with its line at the latest; an apostrophe may look like its end."""


def _open_ends(text: str) -> Iterator[Span]:
    """From a mark that may still be open to the end of what has been written."""
    end, line = len(text) + 1, text.rfind("\n") + 1
    if single := _LINE_MARK.search(text, line):
        yield single.start(), end
    if text.count("`", line) % 2:
        yield text.rfind("`"), end
    if text.count("```") % 2:
        yield text.rfind("```"), end
    for opening, closing in ("[]", "()"):
        if (at := _unclosed(text, line, opening, closing)) is not None and end - at < _OPEN_BRACKET:
            yield at, end


def _unclosed(text: str, start: int, opening: str, closing: str) -> int | None:
    """The outermost bracket of the last line that has not been closed."""
    depth, at = 0, 0
    for n in range(start, len(text)):
        if text[n] == opening:
            at = n if depth == 0 else at
            depth += 1
        elif text[n] == closing and depth:
            depth -= 1
    return at if depth else None
