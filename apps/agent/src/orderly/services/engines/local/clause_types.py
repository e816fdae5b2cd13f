"""Recognises clause types: standard types by headings and phrases, custom types by BM25 and embeddings."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Protocol

import numpy as np

from orderly.services.engines.local.concept_finder import ConceptFinder
from orderly.services.engines.local.concepts import Phrase, compile_phrases, evidence
from orderly.services.engines.local.lexical import Bm25, Scores
from orderly.services.engines.local.queries import Embed
from orderly.services.engines.local.sentences import fold_case, stems

LONGEST_HEADING = 8
"""Words. A longer heading covers several subjects and is ignored."""
KNOWN_CONCEPT = 0.75
"""Minimum similarity at which a custom label is mapped to a known concept."""
EMBEDDED = 16
"""Passages embedded per custom label."""
LONGEST_EMBEDDED = 600
"""Characters embedded per passage."""


class ClauseType(Protocol):
    def matches_heading(self, heading: str) -> bool:
        """Whether the heading names the type."""
        ...


@dataclass(frozen=True, slots=True)
class StandardType:
    label: str
    headings: tuple[Phrase, ...]
    phrases: tuple[Phrase, ...]

    def matches_heading(self, heading: str) -> bool:
        return len(heading.split()) <= LONGEST_HEADING and evidence(self.headings, fold_case(heading)) > 0

    def evidence(self, passages: Sequence[str]) -> Scores:
        """0..1 per passage: evidence of the type's phrases."""
        return np.array([evidence(self.phrases, fold_case(passage)) for passage in passages])


@lru_cache(maxsize=1)
def standard_types() -> dict[str, StandardType]:
    raw = tomllib.loads(resources.files(__package__).joinpath("clause_types.toml").read_text(encoding="utf-8"))
    types = (
        StandardType(item["label"], compile_phrases(item["headings"], []), compile_phrases(item["strong"], item["supporting"]))
        for item in raw["type"]
    )
    return {clause_type.label: clause_type for clause_type in types}


class CustomType:
    """A clause type described by a user's label."""

    def __init__(self, label: str, finder: ConceptFinder, embed: Embed) -> None:
        self.label = label
        self._terms = set(stems(label))
        self._embed = embed
        similarity = finder.similarities(label)
        best = int(similarity.argmax())
        self._concept = finder.concepts[best] if similarity[best] >= KNOWN_CONCEPT else None
        queries = self._concept.queries if self._concept else ()
        self._queries = list(dict.fromkeys([label, *queries]))

    def matches_heading(self, heading: str) -> bool:
        found = set(stems(heading))
        wanted = [self._terms, *(set(stems(query)) for query in self._queries[1:3])]
        return any(terms and terms <= found for terms in wanted)

    def scores(self, passages: Sequence[str]) -> Scores:
        """0..1 per passage. Passages must be in lower case."""
        word_scores = self._word_scores(passages)
        phrase_scores = np.array([evidence(self._concept.phrases, p) if self._concept else 0.0 for p in passages])
        chosen = np.argsort(-(word_scores + phrase_scores), kind="stable")[:EMBEDDED]
        cosines = np.zeros(len(passages))
        if len(chosen):
            vectors = self._embed([*self._queries, *(passages[i][:LONGEST_EMBEDDED] for i in chosen)])
            cosines[chosen] = (vectors[len(self._queries) :] @ vectors[: len(self._queries)].T).max(axis=1)
        wording = phrase_scores if self._concept else word_scores
        return np.clip(0.45 * wording + 0.25 * word_scores + 0.6 * cosines - 0.15, 0, 1) * (cosines > 0)

    def _word_scores(self, passages: Sequence[str]) -> Scores:
        """BM25 of the label's terms, scaled to 0..1 by the best passage."""
        scores = Bm25([stems(passage) for passage in passages]).scores(dict.fromkeys(self._terms, 1.0))
        return np.asarray(scores / max(scores.max(initial=0.0), 4.0))


def clause_type_of(label: str, finder: ConceptFinder, embed: Embed) -> StandardType | CustomType:
    standard = standard_types().get(label.strip().lower())
    return standard if standard is not None else CustomType(label, finder, embed)


def names_clause_type(heading: str, label: str) -> bool:
    """Whether a heading names a clause type: a standard one by its phrases, any other by the words of its label."""
    standard = standard_types().get(label.strip().lower())
    if standard is not None:
        return standard.matches_heading(heading)
    wanted = set(stems(label))
    return bool(wanted) and wanted <= set(stems(heading))


def says_clause_type(label: str, passages: Sequence[str]) -> list[float]:
    """0..1 per passage: how surely its words are those of a standard clause type; 0 for any other type."""
    standard = standard_types().get(label.strip().lower())
    return [float(share) for share in standard.evidence(passages)] if standard is not None else [0.0] * len(passages)
