"""Parses and validates replies of Isaacus. An undocumented form raises EngineMisbehaved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeGuard

from orderly.errors import EngineMisbehaved
from orderly.services.engines import Answer, Ranked


class Passage(NamedTuple):
    """A chunk of a classified text with the chunk's score."""

    start: int
    end: int
    score: float


class Extracted(NamedTuple):
    answers: list[Answer]
    inextractability_score: float


def parse_embeddings(reply: Mapping[str, object], count: int) -> list[list[float]]:
    """L2-normalised vectors in the order of the request."""
    vectors: list[list[float] | None] = [None] * count
    for item in items_of(reply, "embeddings"):
        position = index_of(item, count)
        if vectors[position] is not None:
            raise malformed("an embedding came twice")
        vectors[position] = _normalise(item.get("embedding"))
    complete = [vector for vector in vectors if vector is not None]
    if len(complete) != count:
        raise malformed("an embedding is missing")
    if len({len(vector) for vector in complete}) > 1:
        raise malformed("embeddings of different lengths")
    return complete


def parse_rankings(reply: Mapping[str, object], count: int) -> list[Ranked]:
    """Scores of all documents, in the order of the request."""
    scores = {index_of(item, count): _score(item.get("score")) for item in items_of(reply, "results")}
    if len(scores) != count:
        raise malformed("a ranked document is missing")
    return [Ranked(index=index, score=scores[index]) for index in range(count)]


def parse_extraction(reply: Mapping[str, object], context: str) -> Extracted:
    """Answers for the request's only text, best first."""
    extractions = items_of(reply, "extractions")
    if len(extractions) != 1:
        raise malformed("not one extraction for one text")
    answers = []
    for item in items_of(extractions[0], "answers"):
        start, end = _span(item, context)
        answers.append(Answer(text=context[start:end], start=start, end=end, score=_score(item.get("score"))))
    answers.sort(key=lambda answer: (-answer["score"], answer["start"]))
    return Extracted(answers, _score(extractions[0].get("inextractability_score")))


def parse_classification(reply: Mapping[str, object], text: str) -> tuple[float, list[Passage]]:
    """(score, passages in text order) of the request's only text. A text without chunks is one passage."""
    classified = items_of(reply, "classifications")
    if len(classified) != 1:
        raise malformed("not one classification for one text")
    score = _score(classified[0].get("score"))
    if "chunks" not in classified[0]:
        raise malformed("'chunks' is missing")
    if classified[0]["chunks"] is None:
        return score, [Passage(0, len(text), score)]
    chunks = [Passage(*_span(item, text), _score(item.get("score"))) for item in items_of(classified[0], "chunks")]
    return score, sorted(chunks)


def parse_classification_scores(reply: Mapping[str, object], count: int) -> list[float]:
    """Scores of all texts, in the order of the request."""
    scores = {index_of(item, count): _score(item.get("score")) for item in items_of(reply, "classifications")}
    if len(scores) != count:
        raise malformed("a classified text is missing")
    return [scores[index] for index in range(count)]


def malformed(problem: str) -> EngineMisbehaved:
    return EngineMisbehaved(f"Isaacus sent an unexpected reply: {problem}.")


def items_of(reply: Mapping[str, object], key: str) -> list[dict[str, object]]:
    items = reply.get(key)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise malformed(f"'{key}' is missing or not a list of objects")
    return items


def index_of(item: Mapping[str, object], count: int) -> int:
    index = item.get("index")
    if type(index) is not int or not 0 <= index < count:
        raise malformed("an index outside the request")
    return index


def _score(value: object) -> float:
    if not _is_number(value) or not 0 <= value <= 1:
        raise malformed("a score that is not a number from 0 to 1")
    return float(value)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _normalise(value: object) -> list[float]:
    if not isinstance(value, list) or not value or not all(_is_number(x) for x in value):
        raise malformed("an embedding that is not a list of numbers")
    length = math.sqrt(math.fsum(x * x for x in value))
    if length == 0:
        raise malformed("an embedding of zeros")
    return [x / length for x in value]


def _span(item: Mapping[str, object], text: str) -> tuple[int, int]:
    start, end = item.get("start"), item.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise malformed("offsets outside the text")
    if text[start:end] != item.get("text"):
        raise malformed("offsets that do not match the quoted text")
    return start, end
