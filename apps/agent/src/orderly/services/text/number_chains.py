"""Finds numbers that their successors confirm, so that they may skip others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from orderly.services.text.clause_numbers import leading_number
from orderly.services.text.heading_candidates import Candidate

TITLE_CHARS = 150
"""Characters from a chapter's number to its first clause."""


def find_chained(found: Sequence[Candidate], *, titled: bool) -> Iterator[int]:
    """Yields the starts of numbers that the next two numbers of the same list follow; such numbers may skip others."""
    runs: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in found:
        if candidate.kind in ("number", "dotted") and not candidate.inline and (candidate.strong or not titled):
            runs.setdefault((candidate.kind, candidate.label.rpartition(".")[0]), []).append(candidate)
    for run in runs.values():
        values = [leading_number(candidate.label.rpartition(".")[2]) for candidate in run]
        for at in range(len(run) - 2):
            if values[at + 1] == values[at] + 1 and values[at + 2] == values[at] + 2:
                yield run[at].start


def find_chapters(found: Sequence[Candidate]) -> Iterator[int]:
    """Yields the starts of titled numbers whose first clause follows at once: "8. FEES" before "8.1"."""
    for one, other in pairwise(found):
        first = other.kind == "dotted" and other.label in (f"{one.label}.1", f"{one.label}.01")
        if first and one.kind == "number" and one.strong and other.start - one.start <= TITLE_CHARS:
            yield one.start
