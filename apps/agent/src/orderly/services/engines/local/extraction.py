"""Extracts the sentences that answer a question about a known concept of contracts; abstains below a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines import Answer, Extraction, without_overlaps
from orderly.services.engines.local import answer_types, general_answers, provisions, query_coverage
from orderly.services.engines.local.document_analysis import AnalysedDocument, analyse, untitled
from orderly.services.engines.local.evidence import (
    CONCEPT,
    DENSE,
    FIRST_PASS,
    RECOGNISED,
    Question,
    measure,
)
from orderly.services.engines.local.extraction_weights import Weights
from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.linear_models import LinearModel
from orderly.services.engines.local.model_loader import ModelLoader
from orderly.services.engines.local.reader import Reading
from orderly.services.engines.local.sentences import Sentence

CANDIDATES = 32
"""Sentences embedded per question."""
READ, READ_QUICKLY = 8, 4
"""Candidates that the reader reads, each in its provision; of one among many documents."""
LONGEST_EMBEDDED = 600
"""Characters embedded per sentence."""
WIDEST_LEAD = 3.0
"""Log-odds; larger leads over the next candidate are clipped."""
UNFITTED_THRESHOLD = 0.7
"""Least confidence of an answer about a concept of the lexicon alone, on which no weights were fitted: 5 % of what NDAs do not
answer reaches it, and 11 % the threshold of the others (docs/quality.md)."""
UNCONFIRMED = 0.01
"""How far what the reader alone is sure of stays below the threshold."""
MIN_CANDIDATE_CONFIDENCE = 0.1
"""Confidence from which an unconfirmed candidate is shown."""
NEIGHBOURS = 2
"""Sentences on each side, under the same heading, that count as context of a candidate."""


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


def question_about(text: str, context: str, loader: ModelLoader) -> Question:
    """The question, with its concepts if they are sure."""
    sure = loader.finder.is_sure(text, analyse(context).contract_share)
    return Question(text, loader.finder.of_question(text) if sure else ())


class Extractor:
    def __init__(self, loader: ModelLoader, recogniser: LinearModel, weights: Weights) -> None:
        self._loader = loader
        self._recogniser = recogniser
        self._weights = weights

    def extract(self, question: Question, context: str, top_k: int, *, quick: bool = False) -> Extraction:
        found = self.candidates(question, context)
        if not len(found):
            return Extraction(answers=[], answered=False, answering=[], further=[], confidence=0.0, inextractability_score=1.0)
        weights = self._weights
        evidence = weights.evidence(found.features)
        readings = self.read(found, context, evidence, READ_QUICKLY if quick else READ)
        relevance = np.array([reading.relevance for reading in readings])
        logits = weights.logits(evidence, relevance)
        order, described = self.rank(found, context, logits, relevance)
        confidence = weights.confidence_of(described)
        is_fitted = question.concepts[0][0].name in self._recogniser.labels
        threshold = weights.threshold if is_fitted else max(weights.threshold, UNFITTED_THRESHOLD)
        if confidence < threshold:
            confidence = max(confidence, min(_by_reader(readings, int(order[0])), threshold - UNCONFIRMED))
        further = confidence * weights.further_probabilities(further_features(found.features, logits, order))
        probabilities = [confidence, *further]
        answers = [
            Answer(text=context[start:end], start=start, end=end, score=float(probability))
            for row, probability in zip(order, probabilities, strict=True)
            for start, end in _spans(found, context, row)
        ]
        answered = confidence >= threshold
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

    def candidates(self, question: Question, context: str) -> Candidates:
        whole = analyse(context)
        answering_titles = [
            row
            for row, (s, title) in enumerate(zip(whole.sentences, whole.titles, strict=True))
            if title and question.may_be_answered_by_title(context[s.start : s.end])
        ]
        document = untitled(whole)
        if answering_titles:
            rows_with_titles = {*answering_titles, *(row for row, title in enumerate(whole.titles) if not title)}
            document = whole.select(sorted(rows_with_titles))
        measured = measure(question, context, document, self._recogniser)
        rows: list[int] = np.argsort(-(measured @ FIRST_PASS), kind="stable")[:CANDIDATES].tolist()
        features = measured[rows]
        queries = [question.text, *(concept.queries[1] for concept, _ in question.concepts)]
        chosen = [context[s.start : s.end][:LONGEST_EMBEDDED] for s in (document.sentences[row] for row in rows)]
        vectors = self._loader.meaning.embed([*queries, *chosen])
        cosines = vectors[len(queries) :] @ vectors[: len(queries)].T
        features[:, DENSE] = np.column_stack([cosines[:, 0], cosines.max(axis=1)])
        return Candidates(question, document, rows, features)

    def read(self, found: Candidates, context: str, evidence: Scores, most: int) -> list[Reading]:
        """The reading of each candidate's provision. The first `most` by evidence are read; others count as the least."""
        first = np.argsort(-evidence, kind="stable")[:most]
        texts = [provisions.around(context, found.document, found.rows[number]).text(context) for number in first]
        read = self._loader.reader.read(found.question.text, texts)
        readings = [min(read, key=lambda reading: reading.relevance)] * len(found)
        for number, reading in zip(first, read, strict=True):
            readings[number] = reading
        return readings

    def rank(self, found: Candidates, context: str, logits: Scores, relevance: Scores) -> tuple[NDArray[np.intp], Scores]:
        """The candidates, best first, and the CONFIDENCE_FEATURES of the best."""
        order = np.argsort(-logits, kind="stable")
        return order, self._confidence_features(found, context, logits, order, relevance)

    def _confidence_features(
        self, found: Candidates, context: str, logits: Scores, order: NDArray[np.intp], relevance: Scores
    ) -> Scores:
        """CONFIDENCE_FEATURES of the best candidate of a question about known concepts."""
        best = order[0]
        lead = min(logits[best] - logits[order[1]], WIDEST_LEAD) if len(order) > 1 else WIDEST_LEAD
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
            self._loader.meaning.embed,
        )
        read = relevance[best], relevance.max() - relevance[best]
        return np.array([logits[best], lead, question.certainty, *read, *found.features[best], *uncovered])


def _by_reader(readings: Sequence[Reading], best: int) -> float:
    """The confidence of the reader alone in the best candidate's provision."""
    others = [reading for reading in readings if reading is not readings[best]]
    return general_answers.confidence().of(general_answers.features_of(readings[best], others))


def _spans(found: Candidates, context: str, number: int) -> list[tuple[int, int]]:
    sentence = found.sentence(number)
    return answer_types.narrow(found.question.kind, context, sentence.start, sentence.end)


def further_features(features: Scores, logits: Scores, order: NDArray[np.intp]) -> Scores:
    """Array (candidates after the best, FURTHER_FEATURES)."""
    others = order[1:]
    return np.column_stack(
        [
            np.maximum(logits[order[0]] - logits[others], 0),
            logits[others],
            features[others, CONCEPT],
            features[others, RECOGNISED],
        ]
    )
