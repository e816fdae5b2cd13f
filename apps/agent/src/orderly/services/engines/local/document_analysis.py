"""Sentences of a document with their features, cached across questions."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from orderly.services.engines.local import linear_models
from orderly.services.engines.local.contract_detection import contract_share
from orderly.services.engines.local.lexical import Bm25
from orderly.services.engines.local.sentences import Sentence, is_heading, sentences, stems
from orderly.services.engines.local.word_vectors import SentenceVectors
from orderly.services.text import paragraph_starts

_NUMBERED = re.compile(r"\d+(?:\.\d+)*[.)]?\s+[A-Z\"“(]")
_ITEM = re.compile(r"\([a-zA-Z0-9]{1,4}\)|[-*•–]\s")
PASSAGE = 1_000
"""Characters of the passages that show whether the document is a contract."""
CACHED_DOCUMENTS = 4
"""Cached documents; each takes about 40 bytes per character."""


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedDocument:
    """Parallel sequences with one entry per sentence. Compared by identity, as a key of caches."""

    sentences: Sequence[Sentence]
    stems: Sequence[Sequence[str]]
    headings: Sequence[Sequence[str]]
    """Stems of the sentence's heading; none if the sentence itself begins with it."""
    features: Sequence[list[str]]
    """Input features of the recogniser (`linear_models.features`)."""
    paragraphs: Sequence[int]
    """Number of the paragraph or numbered clause that the sentence belongs to; items of a list belong to what precedes them."""
    titles: Sequence[bool]
    """Whether the sentence is only a title."""
    vectors: SentenceVectors
    contract_share: float
    """0..1: how far the document is a contract (`contract_detection.contract_share`)."""
    is_judgment: bool
    """Whether the paragraphs are those of a judgment, and not the headings but they bound what belongs together."""

    def select(self, rows: Sequence[int]) -> AnalysedDocument:
        return AnalysedDocument(
            [self.sentences[i] for i in rows],
            [self.stems[i] for i in rows],
            [self.headings[i] for i in rows],
            [self.features[i] for i in rows],
            [self.paragraphs[i] for i in rows],
            [self.titles[i] for i in rows],
            self.vectors.select(rows),
            self.contract_share,
            self.is_judgment,
        )


@lru_cache(maxsize=CACHED_DOCUMENTS)
def analyse(text: str) -> AnalysedDocument:
    judgment = paragraph_starts(text)
    found = _divided(text, sentences(text), judgment)
    parts = [text[s.start : s.end] for s in found]
    words = [stems(part) for part in parts]
    return AnalysedDocument(
        found,
        words,
        [[] if _holds_title(part, s.heading) else stems(s.heading) for part, s in zip(parts, found, strict=True)],
        [linear_models.features(part, s.heading) for part, s in zip(parts, found, strict=True)],
        [bisect_right(judgment, s.start) for s in found] if judgment else _paragraphs(text, found),
        [is_heading(part) or (s.heading != "" and part.endswith(s.heading)) for part, s in zip(parts, found, strict=True)],
        SentenceVectors(words),
        contract_share([text[at : at + PASSAGE] for at in range(0, len(text), PASSAGE)]),
        bool(judgment),
    )


@lru_cache(maxsize=CACHED_DOCUMENTS)
def untitled(document: AnalysedDocument) -> AnalysedDocument:
    """Without the sentences that are only titles."""
    return document.select([row for row, title in enumerate(document.titles) if not title])


@lru_cache(maxsize=CACHED_DOCUMENTS)
def word_index(document: AnalysedDocument) -> Bm25:
    """Of each sentence with its heading, twice."""
    return Bm25([[*own, *above, *above] for own, above in zip(document.stems, document.headings, strict=True)])


@lru_cache(maxsize=CACHED_DOCUMENTS)
def known_features(document: AnalysedDocument, recogniser: linear_models.LinearModel) -> linear_models.Known:
    return recogniser.known(document.features)


def _holds_title(part: str, title: str) -> bool:
    """Whether a title in its line, and a sentence below it, are one part."""
    return f"{title}\n" in part if title else False


def _divided(text: str, found: Sequence[Sentence], starts: Sequence[int]) -> list[Sentence]:
    """The sentences, divided where a paragraph begins behind a heading in its line."""
    divided = []
    for sentence in found:
        inside = starts[bisect_right(starts, sentence.start) : bisect_left(starts, sentence.end)]
        edges = [sentence.start, *inside, sentence.end]
        for start, end in pairwise(edges):
            divided.append(Sentence(start, start + len(text[start:end].rstrip()), sentence.heading))
    return divided


def _paragraphs(text: str, found: Sequence[Sentence]) -> list[int]:
    numbers: list[int] = []
    before = 0
    for sentence in found:
        begins = "\n\n" in text[before : sentence.start] or _NUMBERED.match(text, sentence.start) is not None
        begins = begins and _ITEM.match(text, sentence.start) is None
        numbers.append((numbers[-1] if numbers else 0) + begins)
        before = sentence.end
    return numbers
