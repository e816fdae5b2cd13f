"""Splits a document into clause candidates with their headings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orderly.services.engines.local.sentences import sentences, trimmed

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
SHORTEST = 40
"""Characters; a shorter paragraph is joined with the next one."""


@dataclass(frozen=True, slots=True)
class Passage:
    start: int
    end: int
    headings: tuple[tuple[int, int, str], ...] = ()
    """(start, end, heading) of the enclosing sections, outermost first."""


def split_into_passages(text: str, sections: Sequence[tuple[int, int, str]]) -> list[Passage]:
    """Paragraphs in text order; none crosses a section boundary. Detects headings if `sections` is empty."""
    known = sorted(sections or _by_headings(text), key=lambda section: (section[0], -section[1]))
    boundaries = sorted({0, len(text), *(s[0] for s in known), *(min(s[1], len(text)) for s in known)})
    passages = []
    for start, end in itertools.pairwise(boundaries):
        around = tuple(section for section in known if section[0] <= start and end <= section[1])
        passages += [Passage(first, last, around) for first, last in _paragraphs(text, start, end)]
    return passages


def _by_headings(text: str) -> list[tuple[int, int, str]]:
    """Flat sections, each from one detected heading to the next."""
    starts: list[tuple[int, str]] = []
    for sentence in sentences(text):
        if sentence.heading and (not starts or starts[-1][1] != sentence.heading):
            starts.append((sentence.start, sentence.heading))
    ends = [start for start, _ in starts[1:]] + [len(text)] * bool(starts)
    return [(start, end, heading) for (start, heading), end in zip(starts, ends, strict=True)]


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in _PARAGRAPH.finditer(text, start, end):
        if len(text[first : match.start()].strip()) >= SHORTEST:
            yield from trimmed(text, first, match.start())
            first = match.end()
    yield from trimmed(text, first, end)
