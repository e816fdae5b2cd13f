"""Divides an answer into spans that are judged by themselves: sentences, list items, rows, headings, phrases of any length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from orderly.models import Span

Kind = Literal["sentence", "heading", "row", "columns"]
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_HEADING = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*\n]{1,80}\*\*:?(?:\s*\[\d+\])*\s*\Z")
_RULE = re.compile(r"[\s|:=-]*[|-][\s|:=-]*\Z")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s+")
_PREFIX = re.compile(r"\s*(?:>\s*)*(?:[-*+•]\s+|#{1,6}\s+)?")
_STOP = re.compile(r"[.!?][”\"’')\]*_`]*(?>(?:[ \t]*\[\d{1,3}\])*)(?=[ \t]+[-*_“\"‘(\[]*[A-Z0-9$£€]|[ \t]*\Z)")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:i\.e|e\.g|Nos?|cls?|ss?|Mrs?|Ms|Dr|vs?|pp?|paras?|Ltd|Pty|Inc|Co|Corp|St|Sch|Art|reg|c|ca|approx|[A-Z])\.\Z|^\W*\(?\w{1,3}\.\Z"
)
_HAS_WORD = re.compile(r"[^\W_]{2}|\d|“…”")
"""Also what stands for words that were taken out."""


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """`text[start:end]` of the answer as shown."""

    start: int
    end: int
    kind: Kind
    item: int
    """Number of its paragraph, list item or row."""
    block: int
    """Number of its paragraph, list or table."""
    section: int
    """Number of the part of the answer below one heading."""
    introduces: bool
    """Whether it introduces the next block: a heading, or a text that ends with a colon."""
    in_draft: bool


def divide(text: str, masked: Sequence[Span] = (), drafts: Sequence[Span] = ()) -> list[AnswerSpan]:
    """The spans of an answer, in order.

    Args:
        text: The answer as shown, without its list of sources.
        masked: Quotations and citations, which no border divides.
        drafts: Texts for others, without their fences.
    """
    plain = _mask(text, masked)
    found: list[AnswerSpan] = []
    item = block = section = 0
    previous = ""
    for start, end in _lines(text):
        line = plain[start:end]
        if _FENCE.match(line):
            block, previous = block + 1, "fence"
            continue
        kind = _kind(line)
        if kind == "blank":
            block += previous in ("text", "row", "heading")
            previous = "blank" if previous != "item" else "item"
            continue
        if kind == "rule":
            if found and found[-1].kind == "row":
                found[-1] = _as_columns(found[-1])
            continue
        if kind != previous:
            block += previous not in ("blank", "fence", "")
        if kind == "heading":
            section += 1
        item += kind != "text" or previous != "text"
        previous = kind
        for first, last in _sentences(plain, start, end, whole=kind in ("row", "heading")):
            shape: Kind = "row" if kind == "row" else "heading" if kind == "heading" else "sentence"
            introduces = kind == "heading" or (last >= end - 4 and plain[first:last].rstrip("*_ ").endswith(":"))
            in_draft = any(a <= first < b for a, b in drafts)
            found.append(AnswerSpan(first, last, shape, item, block, section, introduces, in_draft))
    return found


def _as_columns(span: AnswerSpan) -> AnswerSpan:
    return AnswerSpan(span.start, span.end, "columns", span.item, span.block, span.section, False, span.in_draft)


def _mask(text: str, masked: Sequence[Span]) -> str:
    """The text with letters in place of what no border divides; the last mark of a sentence inside a quotation stays."""
    out = list(text)
    for start, end in masked:
        for at in range(start + 1, end - 1):
            if text[at] != "\n" and not (at == end - 2 and text[at] in ".!?"):
                out[at] = "x" if text[at] in ".!?:|" else text[at]
    return "".join(out)


def _lines(text: str) -> Iterator[Span]:
    at = 0
    for line in text.split("\n"):
        yield at, at + len(line)
        at += len(line) + 1


def _kind(line: str) -> str:
    if not line.strip() or line.strip() == ">":
        return "blank"
    if _RULE.match(line):
        return "rule"
    if line.lstrip().startswith("|") or line.count("|") > 1:
        return "row"
    if _HEADING.match(line):
        return "heading"
    return "item" if _ITEM.match(line) else "text"


def _sentences(text: str, start: int, end: int, *, whole: bool) -> Iterator[Span]:
    prefix = _PREFIX.match(text, start, end)
    begin = prefix.end() if prefix and not whole else start
    for stop in () if whole else _STOP.finditer(text, begin, end):
        if _SHORT.search(text[begin : stop.start() + 1]):
            continue
        if _HAS_WORD.search(text, begin, stop.end()):
            yield begin, stop.end()
        begin = stop.end()
        while begin < end and text[begin] in " \t":
            begin += 1
    if _HAS_WORD.search(text, begin, end):
        yield begin, begin + len(text[begin:end].rstrip())
