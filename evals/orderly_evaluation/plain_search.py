"""Two plain ways to search a text, with which the engine is compared: windows by cosine, and windows by BM25.

They share no ranking code with the engine, so that a change of the engine does not change what it is compared with.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from orderly.services.engines.local import LocalEngine, stems

WINDOW, STEP = 1_000, 800
"""Characters."""
K1, B = 1.2, 0.75
"""Parameters of BM25 (Robertson and Zaragoza 2009)."""


@dataclass(frozen=True, slots=True)
class PlainSearch:
    windows: Sequence[str]
    _vectors: Sequence[Sequence[float]]
    _words: Sequence[Counter[str]]
    _engine: LocalEngine

    @classmethod
    async def over(cls, text: str, engine: LocalEngine) -> Self:
        windows = [text[at : at + WINDOW] for at in range(0, max(1, len(text) - WINDOW + STEP), STEP)]
        windows = [window for window in windows if window.strip()]
        vectors = await engine.embed([window[: engine.windows(window)[0][1]] for window in windows])
        return cls(windows, vectors, [Counter(stems(window)) for window in windows], engine)

    async def by_cosine(self, query: str) -> list[str]:
        """The windows, best first. A window longer than the model's is represented by its beginning."""
        [asked] = await self._engine.embed([query])
        return self._ranked([sum(x * y for x, y in zip(asked, vector, strict=True)) for vector in self._vectors])

    def by_bm25(self, query: str) -> list[str]:
        count = len(self._words)
        average = sum(map(Counter.total, self._words)) / count
        scores = [0.0] * count
        for term in set(stems(query)):
            found = sum(term in words for words in self._words)
            rarity = math.log1p((count - found + 0.5) / (found + 0.5))
            for i, words in enumerate(self._words):
                length = 1 - B + B * words.total() / max(1.0, average)
                scores[i] += rarity * words[term] * (K1 + 1) / (words[term] + K1 * length)
        return self._ranked(scores)

    def _ranked(self, scores: Sequence[float]) -> list[str]:
        return [self.windows[i] for i in sorted(range(len(scores)), key=lambda i: (-scores[i], i))]
