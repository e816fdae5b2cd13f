"""How a claimed quotation differs from what the document says: the nearest place, and the words that are not the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from orderly.services.text.quote_matching import plain

ALIKE = 0.5
"""Share of a quotation's words that must stand at a place, in order, for the place to be named as the nearest."""
MOST_CHANGES = 8
_SLACK = (1, 4, 12)
"""Words around the nearest place that are compared too. A wide window also holds words that belong to the next sentence."""
_SPREAD = 6
"""Words by which the votes for one place may differ: those left out or added shift them."""
_GRAMS = (3, 2, 1)
"""Words in a row that vote for a place; fewer where more agree nowhere."""

_TOKEN = re.compile(r"[^\W_]+(?:(?:\u00ad|[-‐][ \t]*\n\s*)(?=[^\W\d_A-Z])[^\W_]+)*|[^\w\s]")
_DIVIDED = re.compile(r"\u00ad|[-‐][ \t]*\n\s*")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: `quoted` stands in the quotation where the document has `source`; either may be empty."""

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
class Nearest:
    """The place most like the quotation, and every difference (the first ones, where there are many)."""

    start: int
    end: int
    changes: tuple[Change, ...]
    more: int
    """Differences beyond those listed."""


def nearest(quote: str, text: str) -> Nearest | None:
    """None where nothing like the quotation stands in the text. CPU-bound: some 0.3 s per million characters."""
    wanted = [plain(match[0]) for match in _tokens(quote)]
    tokens = list(_tokens(text))
    source = [plain(_DIVIDED.sub("", match[0])) for match in tokens]
    first = _best_place(wanted, source)
    if first is None:
        return None
    low, codes = min((_aligned(wanted, source, first, slack) for slack in _SLACK), key=lambda aligned: _cost(aligned[1]))
    same = sum(b - a for kind, a, b, _, _ in codes if kind == "equal")
    if same < ALIKE * len(wanted):
        return None
    start, end = tokens[low + codes[0][3]].start(), tokens[low + codes[-1][4] - 1].end()
    changes = [
        _change(kind, quote, wanted[a:b], text, tokens[low + c : low + d]) for kind, a, b, c, d in codes if kind != "equal"
    ]
    return Nearest(start, end, tuple(changes[:MOST_CHANGES]), max(len(changes) - MOST_CHANGES, 0))


Opcodes = list[tuple[str, int, int, int, int]]


def _aligned(wanted: Sequence[str], source: Sequence[str], first: int, slack: int) -> tuple[int, Opcodes]:
    """Where the window begins, and how the quotation becomes what stands in it, from its first to its last word."""
    low, high = max(first - slack, 0), max(first, 0) + len(wanted) + slack
    codes: Opcodes = list(SequenceMatcher(None, wanted, source[low:high], autojunk=False).get_opcodes())
    while codes and codes[0][0] == "insert":
        del codes[0]
    while codes and codes[-1][0] == "insert":
        del codes[-1]
    return low, codes


def _cost(codes: Opcodes) -> int:
    return sum(max(b - a, d - c) for kind, a, b, c, d in codes if kind != "equal")


def _tokens(text: str) -> Iterator[re.Match[str]]:
    return _TOKEN.finditer(text)


def _change(kind: str, quote: str, quoted: Sequence[str], text: str, source: Sequence[re.Match[str]]) -> Change:
    words = " ".join(quoted)
    stands = " ".join(text[source[0].start() : source[-1].end()].split()) if source else ""
    return Change("added" if kind == "delete" else "left out" if kind == "insert" else "altered", words, stands)


def _best_place(wanted: Sequence[str], source: Sequence[str]) -> int | None:
    """The token at which the quotation would begin, by the votes of the words that it shares with the text."""
    for size in _GRAMS:
        if len(wanted) < size:
            continue
        asked: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at in range(len(wanted) - size + 1):
            asked[tuple(wanted[at : at + size])].append(at)
        votes: Counter[int] = Counter()
        for at in range(len(source) - size + 1):
            for place in asked.get(tuple(source[at : at + size]), ()):
                votes[at - place] += 1
        if votes:
            return _densest(votes)
    return None


def _densest(votes: Counter[int]) -> int:
    """Neighbouring votes count together."""
    near = range(-_SPREAD, _SPREAD + 1)
    return max(votes, key=lambda at: (sum(votes.get(at + by, 0) for by in near), votes[at], -at))
