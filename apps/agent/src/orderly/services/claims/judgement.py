"""Judges whether quoted words support a sentence, by features of the pair and fitted weights (evals/train_support.py)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from orderly.services.claims.feature import Feature
from orderly.services.claims.features import read_features

THRESHOLD = 1.1
"""Log-odds above which a sentence counts as unsupported."""
DECISIVE = ("bound", "time", "giver", "order turned", "even if", "exchanged", "replaced")
"""Features each of which alone tells a sentence that is not supported."""
FILE = "support_weights.json"


def features_of(statement: str, evidence: str, name: str | None) -> dict[str, Feature]:
    """Features with the name, if any, that the evidence does not have."""
    found = read_features(statement, evidence)
    nearly = max(found["covered"].value - 0.6, 0) / 0.4
    other = Feature(name is not None, name or "")
    return {**found, "other name": other, "other name, nearly verbatim": Feature(other.value * nearly, other.word)}


def judge(statement: str, evidence: str, name: str | None) -> str | None:
    """The word that tells most against a statement, if it is unsupported; None if it is supported."""
    weights, found = _weights(), features_of(statement, evidence, name)
    for key in DECISIVE:
        if found[key].value:
            return found[key].word
    parts = {key: weight * found[key].value for key, weight in weights.items() if key in found}
    if parts and sum(parts.values()) + weights["bias"] < THRESHOLD:
        return None
    against = sorted((key for key in parts if found[key].word), key=lambda key: -parts[key])
    return found[against[0]].word if against else None


@cache
def _weights() -> Mapping[str, float]:
    raw: dict[str, float] = json.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return raw
