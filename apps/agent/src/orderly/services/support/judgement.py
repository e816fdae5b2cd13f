"""Judges whether quoted words support a sentence, by features of the pair and fitted weights (evals/train_support.py)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from orderly.services.support.features import read_features
from orderly.services.support.nearly_verbatim import repeats

THRESHOLD = 1.1
"""Log-odds above which a sentence counts as unsupported."""
DECISIVE = (
    "form", "limit", "bound", "time", "term", "silence", "giver", "exchanged", "replaced", "altered", "opposed",
    "turned", "payer", "bearer", "contrary", "holder", "unrelated", "overstated", "denied",
)  # fmt: skip
"""Features each of which alone tells a sentence that is not supported."""
FILE = "support_weights.json"


def judge(statement: str, evidence: str, name: str | None, whole: str = "") -> str | None:
    """The word that tells most against a statement, if it is unsupported; None if it is supported."""
    weights, found = stored_weights(), read_features(statement, evidence, name, whole)
    for key in DECISIVE:
        if found[key].value:
            return found[key].word
    if repeats(statement, evidence):
        return None
    parts = {key: weight * found[key].value for key, weight in weights.items() if key != "bias"}
    if sum(parts.values()) + weights["bias"] < THRESHOLD:
        return None
    against = sorted((key for key in parts if found[key].word), key=lambda key: -parts[key])
    return found[against[0]].word if against else None


@cache
def stored_weights() -> Mapping[str, float]:
    """By feature, and the bias."""
    raw: dict[str, float] = json.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return raw
