"""Finds the numbers of headings that were not read: the clause before such a number ends there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orderly.services.text.heading_candidates import MONTH, Candidate, refers
from orderly.services.text.marked_headings import closing
from orderly.services.text.open_clauses import PlacedHeading

_Number = tuple[int, ...]
"""(12, 3) for "12.3"."""

_NUMBERED = re.compile(r"\d{1,3}(?:\.\d{1,3})*")
_WRITTEN = re.compile(
    rf"""
    (?:(?P<line>^[ \t#*_]*)|(?<=[.;:)\]”"][ ])|(?<=[ \t]{2})|(?P<after_title>(?<=[A-Za-z][ ])(?=\d{{1,2}}\.1\b)))
    (?P<label>\d{{1,2}}(?:\.\d{{1,2}}){{0,3}})
    (?P<stop>\.?)(?P<space>[ \t]*)(?=[A-Z“"][A-Za-z“" ])(?!{MONTH})
    """,
    re.VERBOSE | re.MULTILINE,
)
"""A number where a line or a sentence begins, or the first of a chapter after the chapter's title, before a word in capitals
or with a capital.
"""

_MAX_STEP = 3
"""Largest step from a number to one that goes on; those between may be unread too."""

_MAX_JUMP = 8
"""The same from chapter to chapter: where several are unread, the clause before them has ended."""


def find_unread(text: str, placed: Sequence[PlacedHeading]) -> Iterator[Candidate]:
    """Yields a doubtful heading for each number that goes on from the clauses around it and was not read. Where it begins
    another chapter, or continues no list, all clauses end.
    """
    starts: dict[str, list[int]] = {}
    for item in placed:
        if not item.weak:
            starts.setdefault(item.label, []).append(item.candidate.start)
    for ordinal, item in enumerate(placed):
        around = _numbers_around(placed, ordinal)
        if not around or item.hidden or item.candidate.level or item.candidate.act:
            continue  # the numbers of Acts, and of headings that the file marks, have gaps
        last = ordinal + 1 == len(placed)
        end = len(text) if last else placed[ordinal + 1].candidate.start
        upper = None if last else _number(placed[ordinal + 1])
        for match in _WRITTEN.finditer(text, item.candidate.start + len(item.candidate.label), end):
            number = tuple(map(int, match["label"].split(".")))
            if not _is_written_as_heading(text, match, number) or (upper and around[0] < upper <= number):
                continue
            if any(start > match.start() for start in starts.get(match["label"], ())):
                continue  # a row of the contents
            goes_on = next((at for at, before in enumerate(around) if _goes_on(number, before)), None)
            if goes_on is None:
                continue
            common = _common(number, around[goes_on])
            if common or (len(around[goes_on]) == len(number) == 1 and number[0] == around[goes_on][0] + 1):
                label = ".".join(map(str, number[: common + 1]))
                yield Candidate(match.start("label"), "dotted" if common else "number", label, None, True, doubtful=True)
            else:
                yield closing(match.start("label"))
            around = [number, *around[goes_on + 1 :]]


def _numbers_around(placed: Sequence[PlacedHeading], ordinal: int) -> list[_Number]:
    """The numbers of a clause and of those around it, innermost first."""
    numbers = []
    at: int | None = ordinal
    while at is not None:
        if number := _number(placed[at]):
            numbers.append(number)
        at = placed[at].parent
    return numbers


def _number(item: PlacedHeading) -> _Number | None:
    label = item.candidate.label
    return tuple(map(int, label.split("."))) if item.kind in ("number", "dotted") and _NUMBERED.fullmatch(label) else None


def _is_written_as_heading(text: str, match: re.Match[str], number: _Number) -> bool:
    """Whether the number is no cross-reference, no amount, and no page number or first word of a sentence."""
    if refers(text, match.start("label")):
        return False
    at_line = match["line"] is not None
    if len(number) == 1:
        return bool(match["space"]) and (at_line or bool(match["stop"]))
    return at_line or bool(match["space"])


def _goes_on(number: _Number, before: _Number) -> bool:
    """Whether a number may come after another: the next of its list, the first below it, or one of the next chapter."""
    if len(number) == 1:
        return before[0] < number[0] <= before[0] + _MAX_JUMP
    if number <= before:
        return False
    below = number[: len(before)] == before
    if below:
        return number[len(before)] <= _MAX_STEP
    if number[0] != before[0]:
        return before[0] < number[0] <= before[0] + _MAX_JUMP and all(part <= _MAX_STEP for part in number[1:])
    depth = _common(number, before)
    return number[depth] <= before[depth] + _MAX_STEP and all(part <= _MAX_STEP for part in number[depth + 1 :])


def _common(number: _Number, before: _Number) -> int:
    """How many parts two numbers begin with alike."""
    return next((at for at, (one, other) in enumerate(zip(number, before, strict=False)) if one != other), len(before))
