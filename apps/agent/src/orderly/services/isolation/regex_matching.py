"""All matches of one regular expression in one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.errors import Invalid

MOST_MATCHES = 10_000
"""Maximum number of spans returned for a text; all matches are counted."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches that are not empty."""

    count: int
    spans: Sequence[tuple[int, int]]
    """Spans of the first `MOST_MATCHES` matches."""
    groups: int
    """Number of different groups that closed last in a match."""


def match(pattern: str, text: str, spans: Sequence[Sequence[int]] | None, *, ignore_case: bool) -> Matches:
    """Finds matches inside `spans`, or anywhere where that is None. Raises Invalid for a pattern that cannot be compiled."""
    try:
        compiled = re.compile(pattern, re.MULTILINE | (re.IGNORECASE if ignore_case else 0))
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        raise Invalid(f"The regular expression cannot be used: {str(error) or 'it is too large'}.") from error
    found: list[tuple[int, int]] = []
    groups: set[int | None] = set()
    count = 0
    for first, last in spans or [[0, len(text)]]:
        for place in compiled.finditer(text, first, last):
            if place.start() == place.end():
                continue
            count += 1
            if count <= MOST_MATCHES:
                found.append(place.span())
            groups.add(place.lastindex)
    return Matches(count, found, len(groups - {None}))
