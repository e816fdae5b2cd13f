"""Recognises the concept that a question asks for, by its embedding and its stems; evals/train_subjects.py fits the model.

The model learned from many ways to ask for each concept, and from questions about none. Passages are recognised by the lexicon.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.queries import Embed, strip_commonplace
from orderly.services.engines.local.sentences import stems

STEMS = 0.5
"""Weight of the stems, which are scaled to length 1 as the embedding is."""
_SEVERAL = re.compile(
    r"\b(?:(?:in|under|for) )?(?:which|what|any|all|each|every|how many)(?: (?:of|the|these|those|our|my|other|single))*"
    r" (?:agreements?|contracts?|deals?|documents?|files?|deeds?|leases?|papers?|ones|them|these)\b"
    r"(?: (?:that|which|do|does|is|are)\b)*",
    re.IGNORECASE,
)
"""Words for the documents of a matter, which say nothing about the subject."""
_ASKING = re.compile(r"^\W*(?:(?:please|list|show|name|give|find|me|where|in|and|the)\b\W*)+", re.IGNORECASE)
MOST = 3
"""Concepts of one question."""
NONE = ""
"""Label of questions about no concept."""


@dataclass(frozen=True, slots=True)
class QuestionSubjects:
    labels: tuple[str, ...]
    rarity: dict[str, float]
    """Logarithmic rarity of each known stem, in the order of the weights."""
    weights: NDArray[np.float32]
    """(labels, features): the embedding, then the stems."""
    bias: Scores

    @classmethod
    def of(cls, raw: dict[str, Any]) -> QuestionSubjects:
        """Parses {"labels", "rarity", "bias", "scale", "weights"}; the weights are bytes in base64, times the label's scale."""
        labels, width = tuple(raw["labels"]), raw["width"]
        rows = np.frombuffer(base64.b64decode(raw["weights"]), np.int8).reshape(len(labels), width)
        weights = rows.astype(np.float32) * np.array(raw["scale"], np.float32)[:, None]
        return cls(labels, raw["rarity"], weights, np.array(raw["bias"]))

    def probabilities(self, questions: Sequence[str], embed: Embed) -> Scores:
        """Array (questions, labels). `embed` must return L2-normalised vectors."""
        logits = features(questions, self.rarity, embed) @ self.weights.T + self.bias
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), np.float64)

    def find(self, question: str, embed: Embed) -> list[tuple[str, float]]:
        """The most probable concepts, best first; none if the question is most probably about none of them.

        The question is read as it is, and without the words that every question about contracts may have.
        """
        found = self.probabilities([question, strip_commonplace(_plain(question))], embed).mean(axis=0)
        order = np.argsort(-found, kind="stable")[:MOST]
        ranked = [(self.labels[i], float(found[i])) for i in order]
        return [] if ranked[0][0] == NONE else [pair for pair in ranked if pair[0] != NONE]


def features(questions: Sequence[str], rarity: dict[str, float], embed: Embed) -> NDArray[np.float32]:
    """Array (questions, features)."""
    columns = {stem: number for number, stem in enumerate(rarity)}
    words = np.zeros((len(questions), len(rarity)), np.float32)
    for row, question in zip(words, questions, strict=True):
        for stem in stems(question):
            if stem in columns:
                row[columns[stem]] = rarity[stem]
    lengths = np.maximum(np.linalg.norm(words, axis=1, keepdims=True), 1e-9)
    return np.hstack([embed(questions), STEMS * words / lengths])


def _plain(question: str) -> str:
    """The question without the words that only say which documents are asked."""
    plain = _ASKING.sub("", _SEVERAL.sub(" ", question))
    return " ".join(plain.split()).strip(" ?.") or question


@cache
def load() -> QuestionSubjects:
    text = resources.files(__package__).joinpath("subject_weights.json").read_text(encoding="utf-8")
    return QuestionSubjects.of(json.loads(text))
