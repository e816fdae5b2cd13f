"""Marks where a heading stops being certain: at a line that begins with the number that its list lacks.

Such a line may be a heading that is written unlike the others, so neither its number nor the one before it is cited for what
follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from orderly.services.text.clause_numbers import following_labels
from orderly.services.text.heading_candidates import Candidate
from orderly.services.text.open_clauses import CONTAINERS, PlacedHeading

_LISTED = ("number", "dotted", "letter")
_MAX_LACKING = 5
"""Numbers looked for between two headings of a list."""


def find_doubtful(text: str, placed: Sequence[PlacedHeading]) -> Iterator[Candidate]:
    """Yields a candidate for each line that begins with the number that follows a heading of a list, where that list lacks
    it or ends.
    """
    for items in _lists(placed):
        for one, other in zip_longest(items, items[1:]):
            if other is None and one.kind not in CONTAINERS:
                continue  # a number after the last may be an item of a list of its own
            start = one.candidate.start + len(one.candidate.label)
            end = _end(text, placed, one) if other is None else other.candidate.start
            labels = [one.candidate.label]
            for _ in range(_MAX_LACKING):
                labels = [following for label in labels for following in following_labels(label)]
                if other is not None and other.candidate.label in labels:
                    break
                for label in labels:
                    if match := re.compile(_line(one, label), re.MULTILINE).search(text, start, end):
                        start = match.end()
                        yield Candidate(match.start("label"), one.candidate.kind, label, None, True, doubtful=True)
                        break


def _lists(placed: Sequence[PlacedHeading]) -> Iterator[list[PlacedHeading]]:
    """The headings of each list. Articles, Parts and schedules of one word stand in one list."""
    lists: dict[tuple[object, ...], list[PlacedHeading]] = {}
    for item in placed:
        found = item.candidate
        if item.hidden or found.level or found.act:
            continue  # the numbers of Acts and of headings that the file marks have gaps where provisions are repealed
        if item.kind in CONTAINERS:
            lists.setdefault((item.parent, found.label.split()[0]), []).append(item)
        elif item.kind in _LISTED:
            lists.setdefault((item.list_id,), []).append(item)
    yield from lists.values()


def _end(text: str, placed: Sequence[PlacedHeading], last: PlacedHeading) -> int:
    """Where the next heading begins that stands not within `last`."""
    after = (
        item.candidate.start for item in placed if item.candidate.start > last.candidate.start and item.depth <= last.depth
    )
    return next(after, len(text))


def _line(one: PlacedHeading, label: str) -> str:
    """A line that begins with the label, also alone, or in other brackets than the list has: "(d)" between "c." and "e."."""
    if one.kind == "letter":
        return rf"^[ \t#*_]*\(?(?P<label>{re.escape(label)})[.)](?=\s)"
    stop = "" if one.kind in CONTAINERS else r"\.?(?=[ \t])" if one.kind == "dotted" else r"\.(?=[ \t])"
    written = r"[ \t]+".join(map(re.escape, label.split()))
    return rf"^[ \t#*_]*(?P<label>{written})\b(?!\.\d){stop}"
