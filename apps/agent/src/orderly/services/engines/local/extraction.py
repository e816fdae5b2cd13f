"""Extracts the sentences that answer a question, with a confidence; abstains below a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines import Answer, Extraction, without_overlaps
from orderly.services.engines.local import answer_types, query_coverage
from orderly.services.engines.local.concepts import ConceptFinder, Embed, is_sure
from orderly.services.engines.local.document_analysis import AnalysedDocument, analyse
from orderly.services.engines.local.evidence import (
    CONCEPT,
    DENSE,
    FIRST_PASS,
    FIRST_PASS_IN_GENERAL,
    RECOGNISED,
    Question,
    measure,
)
from orderly.services.engines.local.extraction_weights import WeightSets
from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.linear_models import LinearModel
from orderly.services.engines.local.sentences import Sentence

CANDIDATES = 32
"""Sentences embedded per question."""
LONGEST_EMBEDDED = 600
"""Characters embedded per sentence."""
MIN_CANDIDATE_CONFIDENCE = 0.1
"""Confidence from which an unconfirmed candidate is shown."""
NEIGHBOURS = 2
"""Sentences on each side, under the same heading, that count as context of a candidate."""
LONGEST_PROVISION = 500
"""Characters of an answer to a general question, unless one sentence is longer."""
WIDEST_LEAD = 3.0
"""Log-odds; larger leads are clipped."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Sentences of a document selected by FIRST_PASS."""

    question: Question
    document: AnalysedDocument
    """All sentences that may answer."""
    rows: Sequence[int]
    """Indices of the candidates in `document`."""
    features: Scores
    """Array (rows, FEATURES)."""

    def __len__(self) -> int:
        return len(self.rows)

    def sentence(self, number: int) -> Sentence:
        return self.document.sentences[self.rows[number]]


class Extractor:
    def __init__(self, finder: ConceptFinder, embed: Embed, recogniser: LinearModel, weights: WeightSets) -> None:
        self._finder = finder
        self._embed = embed
        self._recogniser = recogniser
        self._weights = weights

    def extract(self, text: str, context: str, top_k: int) -> Extraction:
        found = self.candidates(self._question(text, context), context)
        if not len(found):
            return Extraction(answers=[], answered=False, answering=[], further=[], confidence=0.0, inextractability_score=1.0)
        weights = self._weights.general if found.question.is_general else self._weights.known
        logits = weights.logits(found.features)
        order = np.argsort(-logits, kind="stable")
        confidence = weights.confidence_of(self.confidence_features(found, context, logits, order))
        further = confidence * weights.further_probabilities(further_features(found.features, logits, order))
        probabilities = [confidence, *further]
        answers = [
            Answer(text=context[start:end], start=start, end=end, score=float(probability))
            for row, probability in zip(order, probabilities, strict=True)
            for start, end in self._spans(found, context, row)
        ]
        answered = confidence >= weights.threshold
        answering = (
            [answer for answer in answers if answer["score"] >= confidence * weights.further_threshold] if answered else []
        )
        sure = without_overlaps(answering)[:top_k]
        others = without_overlaps([*sure, *without_overlaps(answers)[:top_k]])
        return Extraction(
            answers=without_overlaps(answers)[:top_k],
            answered=answered,
            answering=sure,
            further=others[len(sure) :] if sure or confidence >= MIN_CANDIDATE_CONFIDENCE else [],
            confidence=confidence,
            inextractability_score=1 - confidence,
        )

    def _question(self, text: str, context: str) -> Question:
        """The question, with its concepts if they are sure."""
        sure = is_sure(self._finder, text, analyse(context).contract_share)
        return Question(text, self._finder.find(text) if sure else ())

    def candidates(self, question: Question, context: str) -> Candidates:
        whole = analyse(context)
        pieces = [context[s.start : s.end] for s in whole.sentences]
        eligible = [not whole.titles[i] or question.may_be_answered_by_title(piece) for i, piece in enumerate(pieces)]
        document = whole.select(np.flatnonzero(eligible).tolist())
        measured = measure(question, context, document, self._recogniser)
        first_pass = FIRST_PASS_IN_GENERAL if question.is_general else FIRST_PASS
        rows: list[int] = np.argsort(-(measured @ first_pass), kind="stable")[:CANDIDATES].tolist()
        features = measured[rows]
        queries = [question.text, *(concept.queries[1] for concept, _ in question.concepts)]
        chosen = [context[s.start : s.end][:LONGEST_EMBEDDED] for s in (document.sentences[row] for row in rows)]
        vectors = self._embed([*queries, *chosen])
        cosines = vectors[len(queries) :] @ vectors[: len(queries)].T
        features[:, DENSE] = np.column_stack([cosines[:, 0], cosines.max(axis=1)])
        return Candidates(question, document, rows, features)

    def confidence_features(self, found: Candidates, context: str, logits: Scores, order: NDArray[np.intp]) -> Scores:
        """CONFIDENCE_FEATURES of the best candidate."""
        best = order[0]
        rivals = self._elsewhere(found, order) if found.question.is_general else order[1:]
        lead = min(logits[best] - logits[rivals[0]], WIDEST_LEAD) if len(rivals) else WIDEST_LEAD
        question, sentence, row = found.question, found.sentence(best), found.rows[best]
        document = found.document
        nearby = range(max(0, row - NEIGHBOURS), min(len(document.sentences), row + NEIGHBOURS + 1))
        neighbours = [document.stems[i] for i in nearby if document.sentences[i].heading == sentence.heading]
        uncovered = query_coverage.coverage_features(
            question.text,
            question.concepts,
            f"{context[sentence.start : sentence.end][: query_coverage.LONGEST]} {sentence.heading}",
            [document.stems[row], document.headings[row], *neighbours],
            document.stems,
            self._embed,
        )
        odds = np.exp(logits - logits[best])
        agreement = 1 - odds[rivals].sum() / odds.sum()
        return np.array([logits[best], lead, question.certainty, *found.features[best], *uncovered, agreement])

    def _elsewhere(self, found: Candidates, order: NDArray[np.intp]) -> NDArray[np.intp]:
        """The candidates whose provisions do not overlap that of the best, best first."""
        spans = [provision(found, number) for number in order]
        start, end = spans[0]
        return order[[last <= start or end <= first for first, last in spans]]

    def _spans(self, found: Candidates, context: str, number: int) -> list[tuple[int, int]]:
        if found.question.is_general:
            return [provision(found, number)]
        sentence = found.sentence(number)
        return answer_types.narrow(found.question.kind, context, sentence.start, sentence.end)


def provision(found: Candidates, number: int) -> tuple[int, int]:
    """The candidate with what follows and then precedes it under the same heading, up to LONGEST_PROVISION characters."""
    sentences, first = found.document.sentences, found.rows[number]
    last = first
    heading = sentences[first].heading

    def fits(start: int, end: int) -> bool:
        return (
            start >= 0
            and end < len(sentences)
            and sentences[start].heading == sentences[end].heading == heading
            and sentences[end].end - sentences[start].start <= LONGEST_PROVISION
        )

    while fits(first, last + 1):
        last += 1
    while fits(first - 1, last):
        first -= 1
    return sentences[first].start, sentences[last].end


def further_features(features: Scores, logits: Scores, order: NDArray[np.intp]) -> Scores:
    """Array (candidates after the best, FURTHER_FEATURES)."""
    others = order[1:]
    return np.column_stack(
        [logits[order[0]] - logits[others], logits[others], features[others, CONCEPT], features[others, RECOGNISED]]
    )
