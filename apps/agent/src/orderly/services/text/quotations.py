"""Finds quotations and citations in an answer, in all common notations, also while the answer is still streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MIN_CHARS = 2
"""Characters. Shorter quoted strings claim nothing and are ignored."""

_OMISSION = re.compile(r"^\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*|\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*$")
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
"""Distinguishes a citation in brackets from a remark."""

_FILE_CITATION = re.compile(
    rf"\[(?P<cited>[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*{_NAMED_TYPE}[^\[\]\n]*)\](?!\()", re.IGNORECASE
)
_PAGE = re.compile(r"\bPages?\s+(\d+)", re.IGNORECASE)
_MAX_OPEN_BRACKET = 400
"""Characters after which an unclosed bracket no longer holds text back."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted string inside an answer, with the citation after it, if any."""

    start: int
    end: int
    """`start` and `end` include the quotation marks."""
    text: str
    """Without quotation marks, and without an ellipsis at either end."""
    citation: Span | None
    """Span of the citation, including its brackets."""
    cited: str
    """Text of the citation: "Lease.pdf, Page 3, Section 2"; empty without a citation."""

    @property
    def page(self) -> int | None:
        return cited_page(self.cited)


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation that follows no quotation."""

    start: int
    end: int
    cited: str


def cited_page(cited: str) -> int | None:
    match = _PAGE.search(cited)
    return int(match[1]) if match else None


def find_quotations(answer: str) -> list[Quotation]:
    """Finds all quotations, in order.

    A nested quotation belongs to the outer one. An unclosed quotation ends with its paragraph. An ellipsis in the middle
    stays in the text, since such a quotation joins two places.
    """
    found = []
    for start, end, text in _outermost_spans(answer):
        inner = _OMISSION.sub("", _OMISSION.sub("", text)).strip()
        bracket = _BRACKET.match(answer, end)
        cited = (bracket["square"] or bracket["round"] or "") if bracket else ""
        citation = bracket.span("bracket") if bracket and _PLACE.search(cited) else None
        if len(inner) >= MIN_CHARS and any(char.isalnum() for char in inner):
            found.append(Quotation(start, end, inner, citation, cited if citation else ""))
    return found


def find_citations(answer: str) -> list[Citation]:
    """Finds every bracket that names a file, except those of quotations or inside quotations."""
    taken = [(q.start, q.citation[1] if q.citation else q.end) for q in find_quotations(answer)]
    return [
        Citation(m.start(), m.end(), m["cited"])
        for m in _FILE_CITATION.finditer(answer)
        if not any(a <= m.start() < b for a, b in taken)
    ]


def _outermost_spans(answer: str) -> list[tuple[int, int, str]]:
    """Start, end and text of all quoted spans; of overlapping ones only the outermost."""
    spans = [(m.start(), m.end(), re.sub(r"^[ \t]*>[ \t]?", "", m[0], flags=re.MULTILINE)) for m in _BLOCK.finditer(answer)]
    spans += [(m.start(), m.end(), m["text"]) for m in _TAGGED.finditer(answer)]
    spans += [(start, end, answer[start + 1 : end].rstrip(_CLOSING + '"')) for start, end in _double_marked_spans(answer)]
    spans += [(m.start(), m.end(), m["curly"] or m["straight"] or m["angle"]) for m in _SINGLE.finditer(answer)]
    spans += [
        (m.start(), m.end(), m["block"] or m["line"] or "") for m in _CODE.finditer(answer) if _has_citation(answer, m.end())
    ]
    outermost: list[tuple[int, int, str]] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        if not outermost or span[0] >= outermost[-1][1]:
            outermost.append(_strip_inner_marks(span))
    return outermost


def _has_citation(answer: str, end: int) -> bool:
    """Whether a citation follows; only then is code a quotation."""
    bracket = _BRACKET.match(answer, end)
    return bool(bracket and _PLACE.search(bracket["square"] or bracket["round"] or ""))


def _strip_inner_marks(span: tuple[int, int, str]) -> tuple[int, int, str]:
    """Removes quotation marks inside a block quotation; they are not in the document."""
    start, end, text = span
    inner = text.strip()
    if len(inner) > 1 and inner[0] in _OPENING + '"' and inner[-1] in _CLOSING + '"':
        return start, end, inner[1:-1]
    return span


def _double_marked_spans(answer: str) -> Iterator[Span]:
    """Yields spans between double quotation marks, outermost only."""
    depth, start = 0, 0
    for at, char in enumerate(answer):
        if (char in _OPENING and not (char in _CLOSING and depth)) or (char == '"' and _is_opening_mark(answer, at, depth)):
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


def _is_opening_mark(answer: str, at: int, depth: int) -> bool:
    """Whether a straight mark opens a quotation: it follows a gap, precedes a word and is not inside curly marks."""
    if depth and answer[:at].rfind('"') < max(answer[:at].rfind(mark) for mark in _OPENING):
        return False
    before, after = answer[at - 1 : at], answer[at + 1 : at + 2]
    return (not before or before.isspace() or before in "([*_—–-") and bool(after) and not after.isspace()


_SENTENCE_END = re.compile(r"""(?:[.!?]["”’»)\]*_`']*[ \t]+|\n)\s*""")
_CONTINUATION = "[(—–-…>,;:.)]"
"""Characters that may continue a sentence or begin the citation of its quotation."""
_LIST_ITEM = re.compile(r"(?:[-*•]|\d+[.)])\s")


def find_complete_end(text: str) -> int:
    """End of the part of a streaming answer that can be checked: a sentence end outside quotations, brackets and citations
    that is followed by new text.
    """
    held = [*((q[0], q[1]) for q in _outermost_spans(text)), *_unclosed_spans(text)]
    cut = 0
    for match in _SENTENCE_END.finditer(text):
        at = match.end()
        if at >= len(text) or (text[at] in _CONTINUATION and not _begins_item(text, match)):
            continue
        if not any(start < at < end for start, end in held):
            cut = at
    return cut


def _begins_item(text: str, gap: re.Match[str]) -> bool:
    return "\n" in gap[0] and bool(_LIST_ITEM.match(text, gap.end()))


_LINE_MARK = re.compile(r"‘|‹|(?<![\w’'])'(?=\S)")
"""Opens a quotation that ends with its line at the latest; an apostrophe may look like its closing mark."""


def _unclosed_spans(text: str) -> Iterator[Span]:
    """Yields spans from a mark that may still be open to the end of the text."""
    end, line = len(text) + 1, text.rfind("\n") + 1
    if single := _LINE_MARK.search(text, line):
        yield single.start(), end
    if text.count("`", line) % 2:
        yield text.rfind("`"), end
    if text.count("```") % 2:
        yield text.rfind("```"), end
    for opening, closing in ("[]", "()"):
        if (at := _find_unclosed_bracket(text, line, opening, closing)) is not None and end - at < _MAX_OPEN_BRACKET:
            yield at, end


def _find_unclosed_bracket(text: str, start: int, opening: str, closing: str) -> int | None:
    """Offset of the outermost unclosed bracket from `start` on."""
    depth, at = 0, 0
    for n in range(start, len(text)):
        if text[n] == opening:
            at = n if depth == 0 else at
            depth += 1
        elif text[n] == closing and depth:
            depth -= 1
    return at if depth else None
