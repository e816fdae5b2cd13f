"""Marks where a heading stops being certain. A clause is certain up to the next number of its list.

If a line begins with a number that the list lacks, that line may be a heading that is written unlike the others: neither its
number nor the one before it is cited for what follows. If no line does, the clause is certain for its first paragraph. The last
clause of all, which no number ends, is certain for some paragraphs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise, zip_longest

from orderly.services.text.clause_numbers import following_labels, leading_number
from orderly.services.text.heading_candidates import Candidate, refers
from orderly.services.text.open_clauses import CONTAINERS, PlacedHeading

_LISTED = ("number", "dotted", "letter")
_MAX_LACKING = 5
"""Numbers looked for between two headings of a list."""

_PARAGRAPH_CHARS = 500
"""Most characters of a first paragraph, in text whose line ends are lost."""

_REACH_CHARS = 1500
"""Characters for which the last clause is certain; a schedule without a heading may follow it."""


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


def find_rivals(text: str, placed: Sequence[PlacedHeading]) -> Iterator[Candidate]:
    """Yields, as doubtful, each numbered heading whose number begins another sentence before the next number: two clauses have
    it, or a list that begins again was read for the clauses.
    """
    starts = {item.candidate.start for item in placed}
    for items in _lists(placed):
        for one, other in pairwise(items):
            label = one.candidate.label
            if one.kind != "number" or not label.isdigit():
                continue
            pattern = re.compile(
                rf"(?:^[ \t]*|(?<=[a-z.;:)\]”\"][.;:)\]”\" ][ ])){label}\.[ \t]+(?=[A-Z“\"][a-z])", re.MULTILINE
            )
            found = (
                match.end() - len(match[0].lstrip())
                for match in pattern.finditer(text, one.candidate.start + len(label), other.candidate.start)
            )
            if any(start not in starts and not refers(text, start) for start in found):
                yield replace(one.candidate, doubtful=True)


def find_limits(text: str, placed: Sequence[PlacedHeading]) -> Iterator[tuple[int, int]]:
    """Yields where a clause stops being certain although no line tells so, and the depth that stays open there."""
    starts = [item.candidate.start for item in placed]
    for ordinal, item in enumerate(placed):
        if item.candidate.level and item.candidate.label.startswith("("):
            yield from _unmarked(text, placed, ordinal)
    for items in _lists(placed):
        for one, other in pairwise(items):
            if not _goes_on(one.candidate.label, other.candidate.label):
                first, end = bisect_left(starts, one.candidate.start), bisect_left(starts, other.candidate.start)
                yield _uncertain_from(text, placed[first:end], other.candidate.start), one.depth
    if not placed:
        return
    around = [placed[-1]]
    while (parent := around[-1].parent) is not None:
        around.append(placed[parent])
    if around[-1].kind != "schedule" and not any(item.candidate.level for item in around):
        yield min(starts[-1] + _REACH_CHARS, len(text)), 0


def _unmarked(text: str, placed: Sequence[PlacedHeading], ordinal: int) -> Iterator[tuple[int, int]]:
    """Where the item after one that the file marks begins, if the file does not mark it: "(d)" after the heading "(c)"."""
    item = placed[ordinal]
    following = placed[ordinal + 1].candidate.start if ordinal + 1 < len(placed) else len(text)
    outside = (other.candidate.start for other in islice(placed, ordinal + 1, None) if other.depth <= item.depth)
    end = next(outside, len(text))
    for label in following_labels(item.candidate.label.strip("()")):
        pattern = re.compile(rf"^[ \t#*_]*\({re.escape(label)}\)(?=\s)", re.MULTILINE)
        if (match := pattern.search(text, item.candidate.start, end)) and match.start() != following:
            yield match.start(), item.depth


def _goes_on(one: str, other: str) -> bool:
    """Whether a label is the next one; "52A" and "53" follow "52A" and "52"."""
    (before, _, last), (prefix, _, number) = one.rpartition("."), other.rpartition(".")
    lettered = before == prefix and 0 <= leading_number(number) - leading_number(last) <= 1 and leading_number(last) > 0
    return other in following_labels(one) or (lettered and one != other)


def _uncertain_from(text: str, clause: Sequence[PlacedHeading], end: int) -> int:
    """Where a clause, given with the headings in it, stops being certain: where a list in it begins again, or after the first
    paragraph below its last heading.
    """
    labels: set[str] = set()
    for item in clause:
        if item.label and item.label in labels:
            return item.candidate.start
        labels.add(item.label)
    start = clause[-1].candidate.start
    end = min(start + _PARAGRAPH_CHARS, end)
    line = text.find("\n", start, end)
    return line if line >= 0 else end


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
    written = r"[ \t]+[\"“]?".join(map(re.escape, label.split()))
    return rf"^[ \t#*_]*(?P<label>{written})\b(?!\.\d){stop}"
