"""A document taken apart once, for all the questions that are put to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from orderly.services.engines.local import linear_models
from orderly.services.engines.local.sentences import Sentence, is_heading, sentences, stems

REMEMBERED = 4
"""Documents: some 40 bytes a character each."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One entry a sentence in each."""

    sentences: Sequence[Sentence]
    stems: Sequence[Sequence[str]]
    headings: Sequence[Sequence[str]]
    """Stems of the heading above."""
    features: Sequence[list[str]]
    """As the recogniser takes them."""
    titles: Sequence[bool]
    """Whether the sentence says nothing but a title."""

    def only(self, rows: Sequence[int]) -> Reading:
        return Reading(
            [self.sentences[i] for i in rows],
            [self.stems[i] for i in rows],
            [self.headings[i] for i in rows],
            [self.features[i] for i in rows],
            [self.titles[i] for i in rows],
        )


@lru_cache(maxsize=REMEMBERED)
def read(text: str) -> Reading:
    found = sentences(text)
    parts = [text[s.start : s.end] for s in found]
    return Reading(
        found,
        [stems(part) for part in parts],
        [stems(s.heading) for s in found],
        [linear_models.features(part, s.heading) for part, s in zip(parts, found, strict=True)],
        [is_heading(part) for part in parts],
    )
