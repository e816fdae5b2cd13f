"""Differences between a claimed quotation and the most similar place in the document."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from orderly.services.text.quote_matching import normalise_text

MIN_WORD_SHARE = 0.5
"""Share of the quotation's words that a place must contain, in order, to be reported as the nearest match."""

MAX_CHANGES = 8
"""Differences listed for a match."""

_WINDOW_MARGINS = (1, 4, 12)
"""Words compared on each side of the nearest place. A wide window may contain words of the next sentence."""

_VOTE_SPREAD = 6
"""Words by which votes for one place may differ, since omitted and added words shift them."""

_GRAM_SIZES = (3, 2, 1)
"""Lengths of the word n-grams that vote for a place, tried in this order until one has votes."""

_TOKEN = re.compile(r"[^\W_]+(?:(?:\u00ad|[-‐][ \t]*\n\s*)(?=[^\W\d_A-Z])[^\W_]+)*|[^\w\s]")
_LINE_END_HYPHEN = re.compile(r"\u00ad|[-‐][ \t]*\n\s*")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: the quotation has `quoted` where the document has `source`; either may be empty."""

    kind: Literal["altered", "added", "left out"]
    quoted: str
    source: str

    def __str__(self) -> str:
        if self.kind == "added":
            return f'"{self.quoted}" does not stand there'
        if self.kind == "left out":
            return f'"{self.source}" is left out'
        return f'"{self.quoted}" stands for "{self.source}"'


@dataclass(frozen=True, slots=True)
class NearestMatch:
    """The place most similar to the quotation, with the first `MAX_CHANGES` differences."""

    start: int
    end: int
    changes: tuple[Change, ...]
    more: int
    """Differences beyond those listed."""


def find_nearest(quote: str, text: str) -> NearestMatch | None:
    """Finds the most similar place; None where no place is similar enough. CPU-bound: about 0.3 s per million characters."""
    wanted = [normalise_text(match[0]) for match in _tokens(quote)]
    tokens = list(_tokens(text))
    source = [normalise_text(_LINE_END_HYPHEN.sub("", match[0])) for match in tokens]
    first = _find_best_start(wanted, source)
    if first is None:
        return None
    low, codes = min(
        (_align(wanted, source, first, margin) for margin in _WINDOW_MARGINS), key=lambda aligned: _edit_cost(aligned[1])
    )
    same = sum(b - a for kind, a, b, _, _ in codes if kind == "equal")
    if same < MIN_WORD_SHARE * len(wanted):
        return None
    start, end = tokens[low + codes[0][3]].start(), tokens[low + codes[-1][4] - 1].end()
    changes = [
        _describe_change(kind, wanted[a:b], text, tokens[low + c : low + d]) for kind, a, b, c, d in codes if kind != "equal"
    ]
    return NearestMatch(start, end, tuple(changes[:MAX_CHANGES]), max(len(changes) - MAX_CHANGES, 0))


Opcodes = list[tuple[str, int, int, int, int]]


def _align(wanted: Sequence[str], source: Sequence[str], first: int, margin: int) -> tuple[int, Opcodes]:
    """Start of the compared window, and the edit operations from the quotation to the window's words, trimmed at both ends."""
    low, high = max(first - margin, 0), max(first, 0) + len(wanted) + margin
    codes: Opcodes = list(SequenceMatcher(None, wanted, source[low:high], autojunk=False).get_opcodes())
    while codes and codes[0][0] == "insert":
        del codes[0]
    while codes and codes[-1][0] == "insert":
        del codes[-1]
    return low, codes


def _edit_cost(codes: Opcodes) -> int:
    return sum(max(b - a, d - c) for kind, a, b, c, d in codes if kind != "equal")


def _tokens(text: str) -> Iterator[re.Match[str]]:
    return _TOKEN.finditer(text)


def _describe_change(kind: str, quoted: Sequence[str], text: str, source: Sequence[re.Match[str]]) -> Change:
    words = " ".join(quoted)
    original = " ".join(text[source[0].start() : source[-1].end()].split()) if source else ""
    return Change("added" if kind == "delete" else "left out" if kind == "insert" else "altered", words, original)


def _find_best_start(wanted: Sequence[str], source: Sequence[str]) -> int | None:
    """Finds the token where the quotation would begin, by votes of the word n-grams shared with the text."""
    for size in _GRAM_SIZES:
        if len(wanted) < size:
            continue
        positions: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at in range(len(wanted) - size + 1):
            positions[tuple(wanted[at : at + size])].append(at)
        votes: Counter[int] = Counter()
        for at in range(len(source) - size + 1):
            for place in positions.get(tuple(source[at : at + size]), ()):
                votes[at - place] += 1
        if votes:
            return _densest_vote(votes)
    return None


def _densest_vote(votes: Counter[int]) -> int:
    """Adds up votes of neighbouring places."""
    near = range(-_VOTE_SPREAD, _VOTE_SPREAD + 1)
    return max(votes, key=lambda at: (sum(votes.get(at + by, 0) for by in near), votes[at], -at))
