"""Finds numbers of a list that stand inside a line or are written unlike the others: "B." between "A." and "C."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from orderly.services.text.clause_numbers import leading_number
from orderly.services.text.heading_candidates import Candidate
from orderly.services.text.heading_titles import find_title
from orderly.services.text.open_clauses import PlacedHeading

_BEGINS = r"(?:^[ \t]*|(?<=[.;:)][ \t])|(?<=[ \t]{2}))"
"""A line, or a sentence in a line."""

_FOLLOWED = r"(?=[ \t]+[A-Z“\"])"
_NUMBERED = ("number", "dotted")
_LETTERED = ("letter", "paren")
_ROMAN = frozenset("ivxlcIVXLC")


def find_missed(text: str, placed: Sequence[PlacedHeading]) -> Iterator[Candidate]:
    """Yields the numbers between two items of a list that the outline lacks and the text has, in order."""
    lists: dict[int, list[PlacedHeading]] = {}
    for item in placed:
        if item.kind in (*_NUMBERED, *_LETTERED) and not (item.hidden or item.candidate.level or item.candidate.act):
            lists.setdefault(item.list_id, []).append(item)
    for items in lists.values():
        for one, other in pairwise(items):
            start, end = one.candidate.start + len(one.candidate.label), other.candidate.start
            for label in between(one.candidate.label, other.candidate.label):
                pattern = rf"{_BEGINS}(?P<label>{re.escape(label)}){'[.)]?' if one.kind in _NUMBERED else '[.]?'}{_FOLLOWED}"
                match = re.compile(pattern, re.MULTILINE).search(text, start, end)
                if match is None:
                    break
                start = match.end()
                title = find_title(text, start + 1)
                yield Candidate(match.start("label"), one.candidate.kind, label, title, title is not None, inline=True)


def is_gap(one: str, other: str) -> bool:
    """Whether numbers lack between two items of a list."""
    return next(between(one, other), None) is not None


def between(one: str, other: str) -> Iterator[str]:
    """The labels between two: "12.3" between "12.2" and "12.4", "(b)" between "(a)" and "(c)"."""
    first, last = one.strip("()"), other.strip("()")
    if first[-1].isdigit() and last[-1].isdigit():
        prefix, _, low = first.rpartition(".")
        for value in range(int(low) + 1, leading_number(last.rpartition(".")[2])):
            yield one.replace(first, f"{prefix}.{value}" if prefix else str(value))
    elif len(first) == len(last) == 1 and not {first, last} <= _ROMAN:
        for code in range(ord(first) + 1, ord(last)):
            yield one.replace(first, chr(code))
