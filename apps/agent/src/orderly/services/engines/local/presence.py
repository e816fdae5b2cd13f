"""Decides whether a document contains a clause of a type, and quotes the sentence that shows it.

Features of the whole document per type (wording, and log-odds of its sentences from the concept model) go into one logistic
regression for all types, with an offset and a threshold per type. evals/train_presence.py fits it.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines.local import concepts, linear_models
from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.linear_models import features
from orderly.services.engines.local.presence_types import Presence, PresenceType, presence_types
from orderly.services.engines.local.sentences import is_heading, sentences

SIGNALS = (
    "best", "second", "likely", "strong", "strong_count", "strong_best", "weak", "evidence", "length", "agreement",
)  # fmt: skip
"""Features of one type in one document, in the order of the weights."""
LIKELY_LOGIT = -1.0
"""Log-odds from which a sentence counts as likely."""
LIMIT = 8.0
"""Log-odds are clipped to +-LIMIT."""
_HYPHENS = str.maketrans("\u2010\u2011", "--")
_AS_FITTED = {
    "must": "shall", "licence": "license", "licences": "licenses", "favour": "favor", "favourable": "favorable",
    "labour": "labor", "related bodies corporate": "affiliates", "related body corporate": "affiliate",
}  # fmt: skip
_OTHER_WORDING = re.compile(rf"\b(?:(?P<word>{'|'.join(_AS_FITTED)})|this (?P<kind>lease|deed|contract))\b", re.I)
"""Wording of Australian and British documents that American contracts, to which the models are fitted, write otherwise."""
CACHED_DOCUMENTS = 64
"""Readers kept in memory, so that a matter is read once for several questions; each takes about 15 bytes per character."""
STRONG, WEAK, AGAINST = 2.0, 0.5, -1.5
"""Log-odds that wording adds when the sentence to quote is chosen."""
FURTHER, MOST_FURTHER = 0.0, 3
"""Log-odds, with those of the wording, from which a sentence is a further place; the most further places."""

MARGIN = 1.1
"""A type counts as present from its fitted threshold times this: held out by document, fewer absent clauses are found so."""
NEAR, NEAR_WORDED = 0.45, 0.09
"""Shares of a type's threshold from which it is likely: of any document, and of one with clear wording."""


class PresenceReader:
    """One document, read once for all types."""

    def __init__(self, text: str, weights: Path | None = None, *, fitted: bool = True) -> None:
        """`fitted`: whether the model of presence is loaded; its training needs the signals only."""
        self._model = linear_models.load("concept_weights.json", weights)
        self._fitted = _fitted(weights) if fitted else None
        self._sentences = [s for s in sentences(text) if not is_heading(text[s.start : s.end])]
        wordings = [_as_fitted(text[s.start : s.end]) for s in self._sentences]
        self._words = [" ".join(words.lower().translate(_HYPHENS).split()) for words in wordings]
        headings = [_as_fitted(s.heading) for s in self._sentences]
        logits = self._model.logits([features(*texts) for texts in zip(wordings, headings, strict=True)])
        self._logits = np.clip(logits, -LIMIT, LIMIT)

    def find(self, subject: str) -> Presence:
        """`subject`: a key of `presence_types()`."""
        return self.judge(subject)[0]

    def judge(self, subject: str) -> tuple[Presence, float]:
        """Like `find`, with the probability from which the type counts as present."""
        if not self._sentences:
            return Presence(subject, 0.0, False, 0, 0), 1.0
        assert self._fitted is not None
        values, shown = self.signals(presence_types()[subject])
        probability, threshold = self._fitted.judge(subject, values)
        order = np.argsort(-shown, kind="stable")[: MOST_FURTHER + 1]
        best, *further = [(self._sentences[i].start, self._sentences[i].end) for i in order]
        sure = tuple(place for place, i in zip(further, order[1:], strict=True) if shown[i] >= FURTHER)
        near = NEAR_WORDED if values[SIGNALS.index("strong")] else NEAR
        likely = probability >= near * threshold
        return Presence(subject, probability, probability >= threshold, *best, sure, likely), threshold

    def signals(self, wanted: PresenceType) -> tuple[list[float], Scores]:
        """The features of SIGNALS, and the log-odds that each sentence shows the type."""
        logits = self._logits_of(wanted.subject)
        strong, weak, against = (self._matches(pattern) for pattern in (wanted.strong, wanted.weak, wanted.against))
        clear = strong & ~against
        ranked = np.sort(logits)[::-1]
        values = [
            ranked[0],
            ranked[1] if len(ranked) > 1 else -LIMIT,
            np.log1p((logits > LIKELY_LOGIT).sum()),
            clear.any(),
            np.log1p(clear.sum()),
            logits[clear].max() if clear.any() else -LIMIT,
            np.log1p((weak | strong).sum()),
            self._evidence(wanted.subject, strong | weak),
            np.log(len(logits)),
            clear[int(logits.argmax())],
        ]
        shown = logits + STRONG * clear + WEAK * weak + AGAINST * against
        return [float(value) for value in values], shown

    def _logits_of(self, subject: str) -> Scores:
        labels = self._model.labels
        return self._logits[:, labels.index(subject)] if subject in labels else np.full(len(self._words), -LIMIT)

    def _matches(self, pattern: re.Pattern[str] | None) -> NDArray[np.bool_]:
        return np.array([pattern is not None and pattern.search(words) is not None for words in self._words], np.bool_)

    def _evidence(self, subject: str, where: NDArray[np.bool_]) -> float:
        phrases = _phrases()[subject]
        return max(
            (concepts.evidence(phrases, words) for words, hit in zip(self._words, where, strict=True) if hit), default=0.0
        )


def _as_fitted(words: str) -> str:
    return _OTHER_WORDING.sub(lambda m: "this agreement" if m["kind"] else _AS_FITTED[m["word"].lower()], words)


class FittedPresence:
    def __init__(self, raw: dict[str, Any]) -> None:
        self._weights = np.array([raw["weights"][name] for name in SIGNALS])
        self._bias: float = raw["bias"]
        self._types: dict[str, dict[str, Any]] = raw["types"]

    def judge(self, subject: str, values: list[float]) -> tuple[float, float]:
        """The probability that the type is present, and the probability from which it counts as present."""
        fitted = self._types[subject]
        relative = np.array(values)
        for name, (usual, spread) in fitted["usual"].items():
            column = SIGNALS.index(name)
            relative[column] = (relative[column] - usual) / spread
        logit = self._bias + fitted["offset"] + float(relative @ self._weights)
        return 1 / (1 + math.exp(-logit)), MARGIN * fitted["threshold"]


@lru_cache(maxsize=CACHED_DOCUMENTS)
def read_cached(text: str, weights: Path | None = None) -> PresenceReader:
    """A reader that later questions about the same text use again."""
    return PresenceReader(text, weights)


@cache
def _fitted(folder: Traversable | None = None) -> FittedPresence:
    source = (folder or resources.files(__package__)) / "presence_weights.json"
    return FittedPresence(json.loads(source.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def _phrases() -> dict[str, tuple[concepts.Phrase, ...]]:
    return {concept.name: concept.phrases for concept in concepts.load()}
