"""Measures how well each sentence of a document answers a question, before and after embedding."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderly.services.engines.local import answer_types
from orderly.services.engines.local.concepts import Concept
from orderly.services.engines.local.document_analysis import Reading
from orderly.services.engines.local.lexical import Bm25, Scores
from orderly.services.engines.local.linear_models import LIMIT, LinearModel
from orderly.services.engines.local.sentences import Sentence, folded, stems

OPENING = 2_500
"""Characters at the beginning where title, parties and dates stand."""
SURE = 0.4
"""Weight from which a concept tells what kind of answer is wanted."""
FEATURES = (
    "lexical", "concept", "heading", "cue", "opening", "opening_cue", "short", "long", "is_heading", "title",
    "learned", "recognised", "dense", "dense_concept",
)  # fmt: skip
CONCEPT, LEARNED, RECOGNISED = 1, 10, 11
DENSE = slice(12, 14)
FIRST_PASS = np.array([1.0, 1.0, 0.6, 0.2, 0.3, 0.6, -0.3, 0.0, -0.5, 0.8, 1.5, 1.0, 0.0, 0.0])
"""Weights that choose the sentences to embed."""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    concepts: Sequence[tuple[Concept, float]]

    @property
    def kind(self) -> answer_types.AnswerType:
        """As the concept says that is surely meant, else as the question word says."""
        for concept, weight in self.concepts[:1]:
            if weight >= SURE and concept.name in answer_types.ANSWERS_CONCEPT:
                return answer_types.ANSWERS_CONCEPT[concept.name]
        return answer_types.asked_for(self.text)

    @property
    def certainty(self) -> float:
        """0..1: how surely the question is about a known concept."""
        return sum(weight for _, weight in self.concepts)

    @property
    def opening(self) -> float:
        """0..1: how surely the answer stands at the beginning of the document."""
        return max((weight for concept, weight in self.concepts if concept.opening), default=0.0)

    def may_be_answered_by_title(self, title: str) -> bool:
        """A heading says nothing but a title, or when the agreement was made."""
        return self.kind == "title" or (self.opening > 0 and answer_types.holds(self.kind, title))

    @property
    def terms(self) -> dict[str, float]:
        return {term: 1.0 for term in stems(self.text)}

    @property
    def heading_terms(self) -> dict[str, float]:
        """What a heading over the answer might say."""
        terms = dict(self.terms)
        for concept, weight in self.concepts:
            for ask in concept.asks[:2]:
                for term in stems(ask):
                    terms[term] = max(terms.get(term, 0.0), 2 * weight)
        return terms


def measure(question: Question, text: str, reading: Reading, recogniser: LinearModel) -> Scores:
    """(sentences, FEATURES), the dense columns still zero."""
    columns = np.zeros((len(reading.sentences), len(FEATURES)))
    both = zip(reading.stems, reading.headings, strict=True)
    lexical = Bm25([[*own, *above, *above] for own, above in both]).scores(question.terms)
    columns[:, 0] = lexical / max(lexical.max(initial=0.0), 6.0)
    columns[:, CONCEPT] = concept_evidence(question.concepts, text, reading.sentences)
    columns[:, 2] = _heading_match(question.heading_terms, reading.headings)
    named = [(concept.name, weight) for concept, weight in question.concepts]
    odds = recogniser.evidence(named, reading.features)
    columns[:, LEARNED] = odds / LIMIT
    columns[:, RECOGNISED] = 1 / (1 + np.exp(-odds)) * (odds != 0)
    for row, sentence in enumerate(reading.sentences):
        is_heading = bool(reading.stems[row]) and reading.stems[row] == reading.headings[row]
        columns[row, 3:10] = _circumstances(question, text, sentence, is_heading)
    return columns


def _circumstances(question: Question, text: str, sentence: Sentence, is_heading: bool) -> tuple[float, ...]:
    cue = answer_types.holds(question.kind, text[sentence.start : sentence.end])
    opening = question.opening if sentence.start < OPENING else 0.0
    length = sentence.end - sentence.start
    return cue, opening, opening * cue, length < 40, length > 800, is_heading, is_heading * opening


def concept_evidence(concepts: Sequence[tuple[Concept, float]], text: str, found: Sequence[Sentence]) -> Scores:
    """How much each sentence speaks of the concepts. A phrase that stands everywhere in this document says little."""
    total = np.zeros(len(found))
    starts = [sentence.start for sentence in found]
    lower = folded(text)
    for concept, weight in concepts:
        hits: dict[int, set[int]] = {}
        strengths: dict[int, float] = {}
        for offset, number, strength in concept.matches(lower):
            row = bisect_right(starts, offset) - 1
            if row >= 0:
                hits.setdefault(number, set()).add(row)
                strengths[number] = strength
        absent = np.ones(len(found))
        for number, rows in hits.items():
            rarity = min(1.0, np.log1p(len(found) / len(rows)) / np.log1p(len(found) / 4)) if len(found) > 4 else 1.0
            absent[list(rows)] *= 1 - strengths[number] * rarity
        total += weight * (1 - absent)
    return total


def _heading_match(wanted: dict[str, float], headings: Sequence[Sequence[str]]) -> Scores:
    """Share of the heading's words that the question or its concept would use, by weight."""
    cache: dict[tuple[str, ...], float] = {}
    result = np.zeros(len(headings))
    for row, heading in enumerate(headings):
        key = tuple(heading)
        if key not in cache:
            cache[key] = sum(min(1.0, wanted.get(term, 0.0)) for term in Counter(key)) / max(2, len(key))
        result[row] = cache[key]
    return result
