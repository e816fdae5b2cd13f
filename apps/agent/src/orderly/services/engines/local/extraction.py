"""Finds the sentences that answer a question, says how sure it is, and abstains when it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines import Answer, Extraction, without_overlaps
from orderly.services.engines.local import answer_types, query_coverage
from orderly.services.engines.local.concepts import ConceptFinder, Embed
from orderly.services.engines.local.document_analysis import Reading, read
from orderly.services.engines.local.evidence import CONCEPT, DENSE, FEATURES, FIRST_PASS, RECOGNISED, Question, measure
from orderly.services.engines.local.extraction_weights import Weights
from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.linear_models import LinearModel
from orderly.services.engines.local.sentences import Sentence

CANDIDATES = 32
"""Sentences that are embedded."""
LONGEST_EMBEDDED = 600
"""Characters of a sentence that are embedded."""
NEIGHBOURS = 2
"""Sentences before and after, under the same heading, that may say what a candidate leaves unsaid."""
WIDEST_LEAD = 3.0
"""Log-odds: a longer lead tells no more."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The sentences of a document that are worth a closer look."""

    question: Question
    reading: Reading
    """All that may answer."""
    rows: Sequence[int]
    """Which of its sentences."""
    features: Scores
    """(rows, FEATURES)"""

    def __len__(self) -> int:
        return len(self.rows)

    def sentence(self, number: int) -> Sentence:
        return self.reading.sentences[self.rows[number]]


class Extractor:
    def __init__(self, finder: ConceptFinder, embed: Embed, recogniser: LinearModel, weights: Weights) -> None:
        self._finder = finder
        self._embed = embed
        self._recogniser = recogniser
        self._weights = weights

    def extract(self, text: str, context: str, top_k: int) -> Extraction:
        found = self.candidates(Question(text, self._finder.of(text)), context)
        if not len(found):
            return Extraction(answers=[], answered=False, answering=[], confidence=0.0, inextractability_score=1.0)
        weights = self._weights
        logits = weights.logits(found.features)
        order = np.argsort(-logits, kind="stable")
        confidence = weights.confidence_of(self.described(found, context, logits, order))
        further = confidence * weights.chances_of_further(further_features(found.features, logits, order))
        chances = [confidence, *further]
        answers = [
            Answer(text=context[start:end], start=start, end=end, score=float(chance))
            for row, chance in zip(order, chances, strict=True)
            for start, end in self._spans(found, context, row)
        ]
        answered = confidence >= weights.threshold
        sure = [answer for answer in answers if answer["score"] >= confidence * weights.together] if answered else []
        return Extraction(
            answers=without_overlaps(answers)[:top_k],
            answered=answered,
            answering=without_overlaps(sure)[:top_k],
            confidence=confidence,
            inextractability_score=1 - confidence,
        )

    def candidates(self, question: Question, context: str) -> Candidates:
        whole = read(context)
        pieces = [context[s.start : s.end] for s in whole.sentences]
        may = [not whole.titles[i] or question.may_be_answered_by_title(piece) for i, piece in enumerate(pieces)]
        reading = whole.only(np.flatnonzero(may).tolist())
        measured = measure(question, context, reading, self._recogniser)
        rows: list[int] = np.argsort(-(measured @ FIRST_PASS), kind="stable")[:CANDIDATES].tolist()
        features = measured[rows]
        asks = [question.text, *(concept.asks[1] for concept, _ in question.concepts)]
        chosen = [context[s.start : s.end][:LONGEST_EMBEDDED] for s in (reading.sentences[row] for row in rows)]
        vectors = self._embed([*asks, *chosen])
        cosines = vectors[len(asks) :] @ vectors[: len(asks)].T
        features[:, DENSE] = np.column_stack([cosines[:, 0], cosines.max(axis=1)])
        return Candidates(question, reading, rows, features)

    def described(self, found: Candidates, context: str, logits: Scores, order: NDArray[np.intp]) -> Scores:
        """CONFIDENCE_FEATURES, which tell whether the best candidate is right: its own features, its lead, how well the
        question was understood, and how much of it the candidate covers.
        """
        best = order[0]
        lead = min(logits[best] - logits[order[1]], WIDEST_LEAD) if len(order) > 1 else WIDEST_LEAD
        question, sentence, row = found.question, found.sentence(best), found.rows[best]
        reading = found.reading
        beside = range(max(0, row - NEIGHBOURS), min(len(reading.sentences), row + NEIGHBOURS + 1))
        neighbours = [reading.stems[i] for i in beside if reading.sentences[i].heading == sentence.heading]
        uncovered = query_coverage.uncovered(
            question.text,
            question.concepts,
            f"{context[sentence.start : sentence.end][: query_coverage.LONGEST]} {sentence.heading}",
            [reading.stems[row], reading.headings[row], *neighbours],
            reading.stems,
            self._embed,
        )
        return np.array([logits[best], lead, question.certainty, *found.features[best], *uncovered])

    def _spans(self, found: Candidates, context: str, number: int) -> list[tuple[int, int]]:
        sentence = found.sentence(number)
        return answer_types.narrowed(found.question.kind, context, sentence.start, sentence.end)


CONFIDENCE_FEATURES = ("best", "lead", "certainty", *FEATURES, *query_coverage.FEATURES)
FURTHER_FEATURES = ("gap", "logit", "concept", "recognised")


def further_features(features: Scores, logits: Scores, order: NDArray[np.intp]) -> Scores:
    """(candidates after the best, FURTHER_FEATURES): whether each belongs to the answer too, if the best one does."""
    others = order[1:]
    return np.column_stack(
        [logits[order[0]] - logits[others], logits[others], features[others, CONCEPT], features[others, RECOGNISED]]
    )
