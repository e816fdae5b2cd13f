"""Which numbers may go on in a list: the next one, and those that skip others, if their successors confirm them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from orderly.services.text.clause_numbers import leading_number
from orderly.services.text.heading_candidates import Candidate

TITLE_CHARS = 150
"""Characters from a chapter's number to its first clause."""
MAX_GAP = 4
"""Largest step between two numbers of a list; numbers in between may be reserved or lost by OCR."""
MAX_GAP_IN_ACT = 30
"""The same for an Act, where whole Divisions may have been repealed."""


@dataclass(frozen=True, slots=True)
class NumberChains:
    confirmed: frozenset[int]
    """Starts of titled numbers that others confirm."""
    chained: frozenset[int]
    """The same, with numbers that have no title."""
    restarts: frozenset[int]
    """Starts of each "1" that a "2" follows, also inside lines: a list begins, whether it is placed or not."""

    @classmethod
    def of(cls, found: Sequence[Candidate]) -> NumberChains:
        confirmed = frozenset((*_find_chained(found, titled=True), *_find_chapters(found)))
        return cls(confirmed, confirmed.union(_find_chained(found, titled=False)), frozenset(_find_restarts(found)))

    def follows(self, found: Candidate, value: int, before: int) -> bool:
        """Whether `value` continues a list at `before`; "52A" follows "52". Only headings at a line start may skip numbers."""
        if value == before and found.label.strip("()")[-1].isalpha() and found.label.strip("(")[0].isdigit():
            return True
        return before < value <= before + self._gap(found, before)

    def _gap(self, found: Candidate, before: int) -> int:
        if before and found.start in self.chained:
            return MAX_GAP_IN_ACT if found.strong else MAX_GAP
        if found.kind in ("letter", "paren") and not found.inline:
            return 1 if found.label.strip("()").lower() == "i" else MAX_GAP
        if found.tentative or not found.strong or (found.inline and found.kind != "dotted"):
            return 1
        return MAX_GAP_IN_ACT if found.act else MAX_GAP

    def skips(self, found: Candidate, chapter: int, before: int) -> bool:
        """Whether a confirmed number skips chapters whose headings were not found."""
        return found.start in self.confirmed and chapter > before > 0


def container_gap(found: Candidate) -> int:
    """A title in capitals shows that an article's number, however far it jumps, is no cross-reference."""
    return MAX_GAP_IN_ACT if found.title and found.title.isupper() else MAX_GAP


def _find_chained(found: Sequence[Candidate], *, titled: bool) -> Iterator[int]:
    """Yields the starts of numbers that the next two numbers of the same list follow; such numbers may skip others."""
    runs: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in found:
        capitals = candidate.title is not None and candidate.title.isupper()
        sure = not candidate.tentative and (capitals or not candidate.inline)
        if candidate.kind in ("number", "dotted") and sure and (candidate.strong or not titled):
            runs.setdefault((candidate.kind, candidate.label.rpartition(".")[0]), []).append(candidate)
    for run in runs.values():
        values = [leading_number(candidate.label.rpartition(".")[2]) for candidate in run]
        for at in range(len(run) - 2):
            if values[at + 1] == values[at] + 1 and values[at + 2] == values[at] + 2:
                yield run[at].start


def _find_chapters(found: Sequence[Candidate]) -> Iterator[int]:
    """Yields the starts of titled numbers whose first clause follows at once: "8. FEES" before "8.1"."""
    for one, other in pairwise(found):
        first = other.kind == "dotted" and other.label in (f"{one.label}.1", f"{one.label}.01")
        if first and one.kind == "number" and one.strong and other.start - one.start <= TITLE_CHARS:
            yield one.start


def _find_restarts(found: Sequence[Candidate]) -> Iterator[int]:
    numbers = [candidate for candidate in found if candidate.kind == "number"]
    for one, other in pairwise(numbers):
        if (one.label, other.label) == ("1", "2"):
            yield one.start
