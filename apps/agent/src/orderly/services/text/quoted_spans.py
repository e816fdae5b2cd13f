"""Divides an answer into blocks and finds the quoted spans in them, also while the answer is still streaming.

All work is linear in the length of the answer.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from orderly.models import Span
from orderly.services.text.quotation_marks import CLOSING_MARKS, OPENING_MARKS, pair_marks

MAX_TAGGED = 4_000
"""Characters after which an unclosed `<q>` or `<blockquote>` is text."""
_MAX_TAG = 120
MAX_BRACKET = 400
"""Characters of the longest citation in brackets."""

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_QUOTE_PREFIX = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+){0,4}>[ \t]?")
_BEGINS_BLOCK = re.compile(r"[ \t]*(?:[-*+•#|(\[—–<~`]|\d{1,9}[.)])")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})[^`\n]*$")
_BEGINS_FENCE = frozenset(("", "`", "``", "~", "~~"))
_TAG = re.compile(r"<(?P<end>/?)(?P<name>q|blockquote)(?:\s[^<>\n.!?]{0,100})?>", re.IGNORECASE)
_BRACKETS = re.compile(r"[\[\]()\n]")
_MATCHING = {"]": "[", ")": "("}


class Quoted(NamedTuple):
    start: int
    end: int
    text: str
    is_code: bool = False
    """Code is a quotation only if a citation follows."""
    closed: bool = True


class Block(NamedTuple):
    kind: str
    """"paragraph", "quote" or "fence"."""
    start: int
    end: int
    """End without the last line break of a paragraph."""
    complete: bool


@dataclass(slots=True)
class Layout:
    quoted: list[Quoted] = field(default_factory=list)
    """In order of their start; they may overlap."""
    stray: list[Span] = field(default_factory=list)
    """Curly marks that belong to no pair; they may stand inside a quoted span."""
    whole: list[Span] = field(default_factory=list)
    """Further spans that a stream does not divide: code, brackets, and from an unclosed mark to the end of its paragraph."""
    open_from: int | None = None
    """First offset whose reading more text may change; None if there is none."""

    def wait_from(self, offset: int | None) -> None:
        if offset is not None:
            self.open_from = offset if self.open_from is None else min(self.open_from, offset)


@lru_cache(maxsize=4)
def find_layout(text: str, *, complete: bool) -> Layout:
    """Finds blocks and quoted spans. `complete`: False while more text may follow."""
    layout = Layout()
    for block in _find_blocks(text, layout, complete=complete):
        if not block.complete and block.kind != "paragraph":
            layout.wait_from(block.start)
        elif block.kind == "quote":
            layout.quoted.append(Quoted(block.start, block.end, _quote_text(text[block.start : block.end])))
        elif block.kind == "fence":
            _add_fence(text, block, layout)
        else:
            _add_paragraph(text, block, layout)
    _add_tagged(text, layout, complete=complete)
    brackets = find_brackets(text)
    layout.whole += [span for span in brackets.pairs if span[1] - span[0] <= MAX_BRACKET]
    if not complete:
        layout.wait_from(next((at for at in brackets.open if len(text) - at < MAX_BRACKET), None))
    layout.quoted.sort(key=lambda span: (span.start, -span.end))
    return layout


def _find_blocks(text: str, layout: Layout, *, complete: bool) -> Iterator[Block]:
    lines = [(m.start(), m.end()) for m in _LINE.finditer(text) if m.end() > m.start()]
    if not complete and lines and _is_undecided(text[slice(*lines[-1])]):
        layout.wait_from(lines.pop()[0])
    fence_ends = _find_fence_ends(text, lines)
    n = 0
    while n < len(lines):
        kind, first = _line_kind(text, lines[n]), n
        if kind == "fence" and n in fence_ends:
            n = fence_ends[n] + 1
            yield Block("fence", lines[first][0], lines[n - 1][1], complete=True)
            continue
        if kind == "fence" and not complete:
            yield Block("fence", lines[n][0], len(text), complete=False)
            return
        kind = "paragraph" if kind == "fence" else kind
        n += 1
        while n < len(lines) and (_line_kind(text, lines[n]) == kind or (kind == "quote" and _is_lazy(text, lines[n]))):
            n += 1
        if kind != "blank":
            end = lines[n - 1][1]
            end -= kind == "paragraph" and text[end - 1] == "\n"
            yield Block(kind, lines[first][0], end, complete or n < len(lines))


def _is_undecided(line: str) -> bool:
    """Whether more text may change the kind of an unfinished line."""
    content = line.lstrip(" \t-*+•.)0123456789")
    return not line.endswith("\n") and (content in _BEGINS_FENCE or content.startswith(("```", "~~~")))


def _line_kind(text: str, line: Span) -> str:
    start, end = line
    if not text[start:end].strip():
        return "blank"
    if _QUOTE_PREFIX.match(text, start, end):
        return "quote"
    return "fence" if _FENCE.match(text[start:end].rstrip("\n")) else "paragraph"


def _is_lazy(text: str, line: Span) -> bool:
    """Whether a line goes on with the paragraph of a block quotation without its mark. A citation does not."""
    return _line_kind(text, line) == "paragraph" and _BEGINS_BLOCK.match(text, *line) is None


def _find_fence_ends(text: str, lines: list[Span]) -> dict[int, int]:
    """Numbers of the opening and the closing line of each closed fence."""
    ends: dict[int, int] = {}
    opening: tuple[int, str] | None = None
    for n, (start, end) in enumerate(lines):
        match = _FENCE.match(text[start:end].rstrip("\n"))
        if match is None:
            continue
        if opening is None:
            opening = (n, match[1])
        elif text[start:end].strip() == match[1] and match[1].startswith(opening[1]):
            ends[opening[0]] = n
            opening = None
    return ends


def _add_fence(text: str, block: Block, layout: Layout) -> None:
    """Adds a fence as code, and the quotations inside it, which count if no citation follows."""
    end = block.end - (text[block.end - 1] == "\n")
    first, last = text.index("\n", block.start) + 1, text.rindex("\n", block.start, end) + 1
    layout.quoted.append(Quoted(block.start, end, text[first:last], is_code=True))
    layout.whole.append((block.start, end))
    _add_paragraph(text, Block("paragraph", first, last, complete=True), layout)


def _add_paragraph(text: str, block: Block, layout: Layout) -> None:
    found = pair_marks(text, block.start, block.end, complete=block.complete)
    layout.wait_from(found.open_from)
    spans = [Quoted(pair.start, pair.end, html.unescape(text[slice(*pair.inner)])) for pair in found.pairs]
    spans += [Quoted(pair.start, pair.end, text[slice(*pair.inner)], is_code=True) for pair in found.code]
    layout.whole += [(pair.start, pair.end) for pair in found.code]
    layout.stray += found.stray
    covered = max((span.end for span in spans), default=block.start)
    if (first := next((mark for mark in found.unclosed if mark.start >= covered), None)) is not None:
        spans.append(Quoted(first.start, block.end, html.unescape(text[first.end : block.end]), closed=False))
    if found.unclosed:
        layout.whole.append((found.unclosed[0].start, block.end))
    layout.quoted += spans


def _quote_text(block: str) -> str:
    """Text of a block quotation, without the marks that enclose it."""
    text = "".join(_QUOTE_PREFIX.sub("", line, count=1) for line in block.splitlines(keepends=True)).strip()
    if len(text) > 1 and text[0] in OPENING_MARKS and text[-1] in CLOSING_MARKS:
        text = text[1:-1]
    return html.unescape(text)


def _add_tagged(text: str, layout: Layout, *, complete: bool) -> None:
    opening: dict[str, re.Match[str]] = {}
    for tag in _TAG.finditer(text):
        name = tag["name"].lower()
        if opened := opening.get(name):
            if tag.start() - opened.start() > MAX_TAGGED:
                del opening[name]
            elif tag["end"]:
                inner = html.unescape(text[opened.end() : tag.start()])
                layout.quoted.append(Quoted(opened.start(), tag.end(), inner))
                del opening[name]
                continue
        if not tag["end"]:
            opening.setdefault(name, tag)
    if not complete:
        held = [tag.start() for tag in opening.values() if len(text) - tag.start() <= MAX_TAGGED + _MAX_TAG]
        layout.wait_from(min(held, default=None))


@dataclass(slots=True)
class Brackets:
    pairs: list[Span]
    """Pairs of square or round brackets within a line, in order of their end."""
    open: list[int]
    """Unclosed brackets of the last line, in order."""


def find_brackets(text: str) -> Brackets:
    """Pairs the brackets of each line."""
    pairs: list[Span] = []
    stacks: dict[str, list[int]] = {"[": [], "(": []}
    for match in _BRACKETS.finditer(text):
        if match[0] == "\n":
            for stack in stacks.values():
                stack.clear()
        elif match[0] in stacks:
            stacks[match[0]].append(match.start())
        elif stack := stacks[_MATCHING[match[0]]]:
            pairs.append((stack.pop(), match.end()))
    return Brackets(pairs, sorted([*stacks["["], *stacks["("]]))


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Merges overlapping spans, in order."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
