"""Finds a passage where recognition may have got letters wrong. For measuring only: the citation gate forgives nothing."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict

from orderly.models import Extracted

GRAM = 8
"""Letters and digits that must agree in a row to vote for a place."""


class Locator:
    """Looks passages up in one document."""

    def __init__(self, extracted: Extracted) -> None:
        self._pages = extracted.pages
        self._starts = [page.start for page in extracted.pages]
        self._text, self._offsets = _bare(extracted.text)
        self._places: dict[str, list[int]] = defaultdict(list)
        for at in range(len(self._text) - GRAM + 1):
            self._places[self._text[at : at + GRAM]].append(at)

    def page_of(self, passage: str) -> int | None:
        """Physical number of the page on which most of the passage stands; None where less than a third agrees."""
        wanted, _ = _bare(passage)
        votes: Counter[int] = Counter()
        grams = max(len(wanted) - GRAM + 1, 1)
        for at in range(grams):
            for place in self._places.get(wanted[at : at + GRAM], ()):
                votes[(place - at) // (4 * GRAM)] += 1
        if not votes:
            return None
        best = max(votes, key=lambda bucket: votes[bucket] + votes[bucket + 1])
        if votes[best] + votes[best + 1] < grams / 3:
            return None
        middle = min(best * 4 * GRAM + len(wanted) // 2, len(self._offsets) - 1)
        page = bisect_right(self._starts, self._offsets[max(middle, 0)]) - 1
        return self._pages[page].number


def _bare(text: str) -> tuple[str, list[int]]:
    """Letters and digits alone, lower case, and where each stood."""
    signs: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text):
        for sign in unicodedata.normalize("NFKC", char).lower():
            if sign.isalnum():
                signs.append(sign)
                offsets.append(offset)
    return "".join(signs), offsets
