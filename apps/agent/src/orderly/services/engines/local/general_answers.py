"""Answers questions about no concept that the engine was fitted on: the reader reads the nearest provisions.

`evals/reader/calibrate.py` fits the confidence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines import Answer, Extraction, without_overlaps
from orderly.services.engines.local import provisions
from orderly.services.engines.local.document_analysis import AnalysedDocument, analyse, untitled
from orderly.services.engines.local.provisions import Provision
from orderly.services.engines.local.queries import Embed
from orderly.services.engines.local.reader import Reader, Reading
from orderly.services.text import end_with_list, list_around

WIDEST_LEAD = 6.0
"""Log-odds; larger leads over the second provision are clipped."""
MIN_CANDIDATE_CONFIDENCE = 0.1
"""Confidence from which an unconfirmed candidate is shown."""
LONGEST_LIST = 1_200
"""Characters of an answer with the whole list of its item, else with the words that introduce the list."""
FEATURES = ("relevance", "lead", "certainty")
"""Of a provision: its log-odds, how far they are above the best other provision's, and those of its span."""


@dataclass(frozen=True, slots=True)
class Effort:
    compared: int
    """Sentences that are embedded."""
    read: int
    """Provisions that are read."""


THOROUGH, QUICK = Effort(48, 14), Effort(16, 4)
"""For one document or a few, and for each of many."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A logistic regression over FEATURES: the probability that the best answer is right."""

    weights: NDArray[np.float64]
    bias: float
    threshold: float
    """Probability from which a question is answered."""

    def of(self, features: Sequence[float]) -> float:
        return float(1 / (1 + np.exp(-(self.weights @ np.array(features) + self.bias))))


@dataclass(frozen=True, slots=True)
class Read:
    """A provision with its reading; `start` and `end` are the answer's, in characters of the document."""

    provision: Provision
    reading: Reading
    start: int
    end: int


@cache
def confidence() -> Confidence:
    raw = json.loads((resources.files(__package__) / "reader_confidence.json").read_text(encoding="utf-8"))
    return Confidence(np.array([raw[name] for name in FEATURES]), raw["bias"], raw["threshold"])


def read(question: str, context: str, reader: Reader, embed: Embed, effort: Effort = THOROUGH) -> list[Read]:
    """The provisions nearest to the question, as the reader orders them, best first."""
    document = untitled(analyse(context))
    found = provisions.nearest(question, context, document, embed, effort.compared, effort.read)
    readings = reader.read(question, [provision.text(context) for provision in found])
    pairs = sorted(zip(found, readings, strict=True), key=lambda pair: -pair[1].relevance)
    return [Read(provision, reading, *_sentences(context, document, provision, reading)) for provision, reading in pairs]


def features(found: Sequence[Read], place: int = 0) -> tuple[float, float, float]:
    """FEATURES of the provision at a place of the order."""
    own = found[place].reading
    return features_of(own, [other.reading for number, other in enumerate(found) if number != place])


def features_of(own: Reading, others: Iterable[Reading]) -> tuple[float, float, float]:
    """FEATURES of a provision by its reading and those of the other provisions."""
    lead = own.relevance - max((other.relevance for other in others), default=own.relevance - WIDEST_LEAD)
    return own.relevance, float(np.clip(lead, -WIDEST_LEAD, WIDEST_LEAD)), own.certainty


def extract(question: str, context: str, top_k: int, reader: Reader, embed: Embed, effort: Effort = THOROUGH) -> Extraction:
    found = read(question, context, reader, embed, effort)
    if not found:
        return Extraction(answers=[], answered=False, answering=[], further=[], confidence=0.0, inextractability_score=1.0)
    judge = confidence()
    sure = judge.of(features(found))
    scores = [sure, *(min(sure, judge.of(features(found, place))) for place in range(1, len(found)))]
    answered = sure >= judge.threshold
    # Where it is not sure that the right sentences were found, their whole provisions are shown.
    places = [(one.start, one.end) if answered else (one.provision.start, one.provision.end) for one in found]
    answers = without_overlaps(
        Answer(text=context[start:end], start=start, end=end, score=score)
        for (start, end), score in zip(places, scores, strict=True)
    )
    answering = [answer for answer in answers if answer["score"] >= judge.threshold][:top_k] if answered else []
    others = [answer for answer in answers[:top_k] if answer not in answering]
    return Extraction(
        answers=answers[:top_k],
        answered=answered,
        answering=answering,
        further=others if answered or sure >= MIN_CANDIDATE_CONFIDENCE else [],
        confidence=sure,
        inextractability_score=1 - sure,
    )


def _sentences(context: str, document: AnalysedDocument, provision: Provision, reading: Reading) -> tuple[int, int]:
    """The whole sentences of a provision that hold the span, with the list that they belong to."""
    shift = provision.start - len(provision.prefix)
    start, end = max(reading.start + shift, provision.start), max(reading.end + shift, provision.start + 1)
    sentences = document.sentences
    own = range(provision.first, provision.last + 1)
    rows = [row for row in own if sentences[row].end > start and sentences[row].start < end]
    if not rows:
        return provision.start, provision.end
    start, end = sentences[rows[0]].start, sentences[rows[-1]].end
    end = end_with_list(context, start, end, LONGEST_LIST)
    if listed := list_around(context, start, end):
        for last in (max(listed[1], end), end):
            if last - listed[0] <= LONGEST_LIST:
                return listed[0], last
    return start, end
