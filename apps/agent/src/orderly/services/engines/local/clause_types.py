"""What makes a clause one of a type: the ten standard types by headings and phrases, any other by its words and meaning."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Protocol

import numpy as np

from orderly.services.engines.local.concepts import ConceptFinder, Embed, Sign, evidence, signs_of
from orderly.services.engines.local.lexical import Bm25, Scores
from orderly.services.engines.local.sentences import folded, stems

LONGEST_HEADING = 8
"""Words; a longer heading speaks of several things."""
KNOWN_CONCEPT = 0.75
"""Likeness from which a custom label is taken to be one of the known concepts."""
EMBEDDED = 16
"""Passages that are embedded for a custom label."""
LONGEST_EMBEDDED = 600
"""Characters of each of them."""


class ClauseType(Protocol):
    def matches_heading(self, heading: str) -> bool:
        """Whether a section under this heading is a clause of the type."""
        ...


@dataclass(frozen=True, slots=True)
class StandardType:
    label: str
    headings: tuple[Sign, ...]
    phrases: tuple[Sign, ...]

    def matches_heading(self, heading: str) -> bool:
        return len(heading.split()) <= LONGEST_HEADING and evidence(self.headings, folded(heading)) > 0

    def evidence(self, passages: Sequence[str]) -> Scores:
        """0..1: how much of each passage's wording points to the type."""
        return np.array([evidence(self.phrases, folded(passage)) for passage in passages])


@lru_cache(maxsize=1)
def standard_types() -> dict[str, StandardType]:
    raw = tomllib.loads(resources.files(__package__).joinpath("clause_types.toml").read_text(encoding="utf-8"))
    types = (
        StandardType(item["label"], signs_of(item["headings"], []), signs_of(item["strong"], item["signs"]))
        for item in raw["type"]
    )
    return {clause_type.label: clause_type for clause_type in types}


class CustomType:
    """A type that somebody asked for in their own words."""

    def __init__(self, label: str, finder: ConceptFinder, embed: Embed) -> None:
        self.label = label
        self._terms = set(stems(label))
        self._embed = embed
        likeness = finder.similarities(label)
        best = int(likeness.argmax())
        self._concept = finder.concepts[best] if likeness[best] >= KNOWN_CONCEPT else None
        asks = self._concept.asks if self._concept else ()
        self._asks = list(dict.fromkeys([label, *asks]))

    def matches_heading(self, heading: str) -> bool:
        found = set(stems(heading))
        wanted = [self._terms, *(set(stems(ask)) for ask in self._asks[1:3])]
        return any(terms and terms <= found for terms in wanted)

    def scores(self, passages: Sequence[str]) -> Scores:
        """0..1 for every passage, given in lower case; from 0.5 it is a clause of the type by its wording."""
        words = self._words(passages)
        spoken = np.array([evidence(self._concept.signs, p) if self._concept else 0.0 for p in passages])
        chosen = np.argsort(-(words + spoken), kind="stable")[:EMBEDDED]
        alike = np.zeros(len(passages))
        if len(chosen):
            vectors = self._embed([*self._asks, *(passages[i][:LONGEST_EMBEDDED] for i in chosen)])
            alike[chosen] = (vectors[len(self._asks) :] @ vectors[: len(self._asks)].T).max(axis=1)
        signs = spoken if self._concept else words
        return np.clip(0.45 * signs + 0.25 * words + 0.6 * alike - 0.15, 0, 1) * (alike > 0)

    def _words(self, passages: Sequence[str]) -> Scores:
        """BM25 of the label's words, 1 where all of them stand closely together."""
        scores = Bm25([stems(passage) for passage in passages]).scores(dict.fromkeys(self._terms, 1.0))
        return np.asarray(scores / max(scores.max(initial=0.0), 4.0))


def clause_type_of(label: str, finder: ConceptFinder, embed: Embed) -> StandardType | CustomType:
    standard = standard_types().get(label.strip().lower())
    return standard if standard is not None else CustomType(label, finder, embed)
