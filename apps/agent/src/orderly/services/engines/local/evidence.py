"""Features that measure how well each sentence of a document answers a question."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderly.services.engines.local import answer_types
from orderly.services.engines.local.concepts import Concept
from orderly.services.engines.local.document_analysis import AnalysedDocument, known_features, word_index
from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.linear_models import LIMIT, LinearModel
from orderly.services.engines.local.sentences import Sentence, fold_case, stems

OPENING = 2_500
"""Leading characters that hold title, parties and dates."""
TYPE_WEIGHT = 0.4
"""Concept weight from which the concept determines the answer type."""
FEATURES = (
    "lexical", "concept", "heading", "cue", "opening", "opening_cue", "short", "long", "is_heading", "title",
    "learned", "recognised", "dense", "dense_concept",
)  # fmt: skip
CONCEPT, LEARNED, RECOGNISED = 1, 10, 11
DENSE = slice(12, 14)
FULL_MATCH = 6.0
"""BM25 score that counts as a full match, unless a sentence has more."""
FIRST_PASS = np.array([1.0, 1.0, 0.6, 0.2, 0.3, 0.6, -0.3, 0.0, -0.5, 0.8, 1.5, 1.0, 0.0, 0.0])
"""Weights of features that select the sentences to embed."""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    concepts: Sequence[tuple[Concept, float]]

    @property
    def kind(self) -> answer_types.AnswerType:
        """Answer type by the best concept if its weight is at least TYPE_WEIGHT, else by the question words."""
        for concept, weight in self.concepts[:1]:
            if weight >= TYPE_WEIGHT and concept.name in answer_types.TYPE_OF_CONCEPT:
                return answer_types.TYPE_OF_CONCEPT[concept.name]
        return answer_types.expected_type(self.text)

    @property
    def certainty(self) -> float:
        """0..1: certainty that the question is about a known concept."""
        return sum(weight for _, weight in self.concepts)

    @property
    def opening(self) -> float:
        """0..1: certainty that the answer is at the start of the document."""
        return max((weight for concept, weight in self.concepts if concept.opening), default=0.0)

    def may_be_answered_by_title(self, title: str) -> bool:
        """Whether a heading may answer: a title does, and for opening concepts an expression of the answer type."""
        return self.kind == "title" or (self.opening > 0 and answer_types.contains(self.kind, title))

    @property
    def is_general(self) -> bool:
        """Whether no concept guides the search."""
        return not self.concepts

    @property
    def terms(self) -> dict[str, float]:
        return {term: 1.0 for term in stems(self.text)}

    @property
    def heading_terms(self) -> dict[str, float]:
        """Weighted stems expected in the answer's heading."""
        terms = dict(self.terms)
        for concept, weight in self.concepts:
            for query in concept.queries[:2]:
                for term in stems(query):
                    terms[term] = max(terms.get(term, 0.0), 2 * weight)
        return terms


def measure(question: Question, text: str, document: AnalysedDocument, recogniser: LinearModel) -> Scores:
    """Array (sentences, FEATURES); the DENSE columns are zero."""
    columns = np.zeros((len(document.sentences), len(FEATURES)))
    index = word_index(document)
    columns[:, 0] = _scaled(index.scores(question.terms))
    columns[:, CONCEPT] = concept_evidence(question.concepts, text, document.sentences)
    columns[:, 2] = _heading_match(question.heading_terms, document.headings)
    named = [(concept.name, weight) for concept, weight in question.concepts]
    odds = recogniser.evidence(named, known_features(document, recogniser))
    columns[:, LEARNED] = odds / LIMIT
    columns[:, RECOGNISED] = 1 / (1 + np.exp(-odds)) * (odds != 0)
    for row, sentence in enumerate(document.sentences):
        is_heading = bool(document.stems[row]) and document.stems[row] == document.headings[row]
        columns[row, 3:10] = _position_features(question, text, sentence, is_heading)
    return columns


def _scaled(scores: Scores) -> Scores:
    return np.asarray(scores / max(scores.max(initial=0.0), FULL_MATCH))


def _position_features(question: Question, text: str, sentence: Sentence, is_heading: bool) -> tuple[float, ...]:
    cue = answer_types.contains(question.kind, text[sentence.start : sentence.end])
    opening = question.opening if sentence.start < OPENING else 0.0
    length = sentence.end - sentence.start
    return cue, opening, opening * cue, length < 40, length > 800, is_heading, is_heading * opening


def concept_evidence(concepts: Sequence[tuple[Concept, float]], text: str, found: Sequence[Sentence]) -> Scores:
    """Weighted phrase evidence per sentence. Phrases frequent in this document count less."""
    total = np.zeros(len(found))
    starts = [sentence.start for sentence in found]
    lower = fold_case(text)
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
    """Weighted share of the heading's stems that occur in `wanted`."""
    cache: dict[tuple[str, ...], float] = {}
    result = np.zeros(len(headings))
    for row, heading in enumerate(headings):
        key = tuple(heading)
        if key not in cache:
            cache[key] = sum(min(1.0, wanted.get(term, 0.0)) for term in Counter(key)) / max(2, len(key))
        result[row] = cache[key]
    return result
