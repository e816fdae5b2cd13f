"""Locates passages despite OCR errors. For evaluation only: the citation gate requires exact matches."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict

from orderly.models import Extracted

GRAM = 8
"""Length of the matched n-grams, in letters and digits."""


class Locator:
    """Locates passages in one document by n-gram voting."""

    def __init__(self, extracted: Extracted) -> None:
        self._pages = extracted.pages
        self._starts = [page.start for page in extracted.pages]
        self._text, self._offsets = _alphanumerics(extracted.text)
        self._places: dict[str, list[int]] = defaultdict(list)
        for at in range(len(self._text) - GRAM + 1):
            self._places[self._text[at : at + GRAM]].append(at)

    def page_of(self, passage: str) -> int | None:
        """Physical page number of the best match; None if less than a third of the n-grams match."""
        wanted, _ = _alphanumerics(passage)
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


def _alphanumerics(text: str) -> tuple[str, list[int]]:
    """(lower-case letters and digits of the text, offset of each)."""
    characters: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text):
        for character in unicodedata.normalize("NFKC", char).lower():
            if character.isalnum():
                characters.append(character)
                offsets.append(offset)
    return "".join(characters), offsets
