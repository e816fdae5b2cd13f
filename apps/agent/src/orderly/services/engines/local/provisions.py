"""Provisions of a document: what stands together, and which may answer a question.

The first stage that precedes the reader. It compares words, static word vectors and embeddings, and knows no rule of meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orderly.services.engines.local.document_analysis import AnalysedDocument, word_index
from orderly.services.engines.local.lexical import Scores, z_scores
from orderly.services.engines.local.queries import Embed
from orderly.services.engines.local.sentences import stems

LONGEST = 500
"""Characters of a provision, unless one sentence is longer."""
LONGEST_EMBEDDED = 600
"""Characters of a sentence that are embedded."""
SHORT = 40
"""Characters below which a sentence seldom answers by itself."""
HEADING, MEANING = 0.3, 2.0
"""Weights of the heading's words beside those of the sentence, and of the embedding beside the words."""
FULL_MATCH = 6.0
"""BM25 score that counts as a full match, unless a sentence has more."""


@dataclass(frozen=True, slots=True)
class Provision:
    """Sentences `first` to `last` of a document, `context[start:end]`, read below their heading."""

    first: int
    last: int
    start: int
    end: int
    heading: str
    """Empty where the provision itself says it."""

    def text(self, context: str) -> str:
        """What the reader reads: the heading on a line of its own, and the words."""
        return self.prefix + context[self.start : self.end]

    @property
    def prefix(self) -> str:
        return f"{self.heading}\n" if self.heading else ""


def span(document: AnalysedDocument, row: int, longest: int = LONGEST) -> tuple[int, int]:
    """First and last sentence: the one at `row` with what follows and then precedes it, up to `longest` characters.

    All are under the same heading; where there is none, and in judgments, in the same paragraph.
    """
    sentences, first, last = document.sentences, row, row
    heading, paragraphs = sentences[row].heading, document.paragraphs

    def fits(start: int, end: int) -> bool:
        return (
            start >= 0
            and end < len(sentences)
            and sentences[start].heading == sentences[end].heading == heading
            and (paragraphs[start] == paragraphs[end] or (heading != "" and not document.is_judgment))
            and sentences[end].end - sentences[start].start <= longest
        )

    while fits(first, last + 1):
        last += 1
    while fits(first - 1, last):
        first -= 1
    return first, last


def nearest(
    question: str, context: str, document: AnalysedDocument, embed: Embed, compared: int, limit: int
) -> list[Provision]:
    """At most `limit` provisions that may answer, nearest first. `compared`: sentences that are embedded."""
    if not document.sentences:
        return []
    wanted = {term: 1.0 for term in stems(question)}
    words = _scaled(word_index(document).scores(wanted)) + document.vectors.similarities(list(wanted))
    words += HEADING * _heading_match(wanted, document.headings)
    words -= np.array([sentence.end - sentence.start < SHORT for sentence in document.sentences], np.float64)
    rows = np.argsort(-words, kind="stable")[:compared]
    chosen = [document.sentences[row] for row in rows]
    vectors = embed([question, *(context[s.start : s.end][:LONGEST_EMBEDDED] for s in chosen)])
    cosines = np.asarray(vectors[1:] @ vectors[0], np.float64)
    order = np.argsort(-(z_scores(words[rows]) + MEANING * z_scores(cosines)), kind="stable")
    spans = dict.fromkeys(span(document, int(rows[place])) for place in order)
    return [_provision(context, document, first, last) for first, last in list(spans)[:limit]]


def around(context: str, document: AnalysedDocument, row: int) -> Provision:
    """The provision of the sentence at `row`."""
    return _provision(context, document, *span(document, row))


def _provision(context: str, document: AnalysedDocument, first: int, last: int) -> Provision:
    start, end = document.sentences[first].start, document.sentences[last].end
    heading = " ".join(document.sentences[first].heading.split())
    said = heading and heading in " ".join(context[start : start + 2 * len(heading) + SHORT].split())
    return Provision(first, last, start, end, "" if said else heading)


def _scaled(scores: Scores) -> Scores:
    return np.asarray(scores / max(scores.max(initial=0.0), FULL_MATCH))


def _heading_match(wanted: Mapping[str, float], headings: Sequence[Sequence[str]]) -> Scores:
    """Share of the heading's stems that are asked for; a heading of one word counts half."""
    shares = {
        heading: sum(term in wanted for term in set(heading)) / max(2, len(heading)) for heading in set(map(tuple, headings))
    }
    return np.array([shares[tuple(heading)] for heading in headings], np.float64)
