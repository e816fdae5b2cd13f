"""Provisions that may answer a question about no known concept: ranks them, and describes how sure the best one is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines.local.document_analysis import AnalysedDocument
from orderly.services.engines.local.evidence import DENSE
from orderly.services.engines.local.legal_terms import other_terms
from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.outcomes import with_wording
from orderly.services.engines.local.queries import Embed
from orderly.services.engines.local.query_coverage import is_said, words_of
from orderly.services.engines.local.question_cues import lacks_measure
from orderly.services.engines.local.sentences import stems

LONGEST = 500
"""Characters of a provision, unless one sentence is longer."""
EMBEDDED = 8
"""Provisions that are embedded as a whole."""
WHOLE = 4.0
"""Weight of the cosine of a whole provision, beside the log-odds of its sentences."""
UNRELATED = 0.4
"""Cosine that the best of many unrelated sentences has. A lead is counted from it where a short document's rivals have less."""
_BEGINS_CLAUSE = re.compile(
    r"(?:#{1,6}[ \t]+|[*_]{0,2}\d{1,3}(?:\.\d{1,3})*[.)]?[*_]{0,2}[ \t]+[*_]{0,2}[A-Z“\"]"
    r"|(?<=\n\n)[A-Z][^\n.;:,]{1,45}\n[A-Z“\"])"  # a title on a line of its own, as letters have it
)
WIDEST_LEAD = 3.0
"""Log-odds; larger leads are clipped."""
FEATURES = ("lead", "whole_lead", "cosine_lead", "agreement", "strange", "unmeasured")
"""Of the best provision: leads over provisions elsewhere by odds, by its cosine and by its best sentence's cosine; its share of
all odds; the share of the question's words that neither it nor the document says; and whether it lacks a measure that is
asked for."""


@dataclass(frozen=True, slots=True)
class Ranked:
    order: NDArray[np.intp]
    """The candidates, best first."""
    features: Scores
    """FEATURES of the best."""


def span(document: AnalysedDocument, row: int) -> tuple[int, int]:
    """First and last sentence: the one at `row` with what follows and then precedes it, up to LONGEST.

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
            and sentences[end].end - sentences[start].start <= LONGEST
        )

    while fits(first, last + 1):
        last += 1
    while fits(first - 1, last):
        first -= 1
    return first, last


def own_clause(document: AnalysedDocument, row: int, context: str, question: str) -> tuple[int, int]:
    """First and last sentence of the numbered clause, or of what stands below one heading, within the span around `row`.

    Of several, the one that says most words of the question, or others of their meaning; rare ones count more. Where they say
    the same, the one that says it in the question's own words, then that of `row`.
    """
    first, last = span(document, row)
    begins = [n for n in range(first + 1, last + 1) if _BEGINS_CLAUSE.match(context, document.sentences[n].start)]
    clauses = list(zip([first, *begins], [*(n - 1 for n in begins), last], strict=True))
    if len(clauses) == 1:
        return clauses[0]
    asked = _asked(question, document)

    def weight(clause: tuple[int, int]) -> tuple[float, int, bool]:
        said = set[str]().union(*document.stems[clause[0] : clause[1] + 1])
        shares = sum(rare for alike, rare in asked.values() if not alike.isdisjoint(said))
        return round(shares, 6), len(asked.keys() & said), clause[0] <= row <= clause[1]

    return max(clauses, key=weight)


@lru_cache(maxsize=8)  # asked for every candidate of a question
def _asked(question: str, document: AnalysedDocument) -> Mapping[str, tuple[frozenset[str], float]]:
    """Each word of the question (stems): the words of its meaning, and how rare they are in the document."""
    found = {}
    for word in stems(question):
        alike = frozenset({word, *(other for other, whole in other_terms(word).items() if whole == 1.0)})
        sentences = sum(not alike.isdisjoint(said) for said in document.stems)
        found[word] = (alike, log(1 + len(document.stems) / max(1, sentences)))
    return found


def rank(
    question: str, context: str, document: AnalysedDocument, rows: Sequence[int], features: Scores, logits: Scores, embed: Embed
) -> Ranked:
    """Ranks the sentences at `rows` by the provisions around them.

    A provision has the odds of all its sentences, and the cosine of its whole text if it is among the EMBEDDED best.
    """
    spans = np.array([span(document, row) for row in rows])
    firsts, lasts = spans.T
    at = np.array(rows)
    odds = np.exp(logits - logits.max())
    totals = np.log([odds[(first <= at) & (at <= last)].sum() for first, last in spans]) + logits.max()
    best = np.argsort(-totals, kind="stable")
    chosen = list(dict.fromkeys(map(tuple, spans[best].tolist())))[:EMBEDDED]
    texts = [context[document.sentences[first].start : document.sentences[last].end] for first, last in chosen]
    vectors = embed([with_wording(question), *texts])
    cosines = dict(zip(chosen, (vectors[1:] @ vectors[0]).tolist(), strict=True))
    whole = np.array([cosines.get((first, last), np.nan) for first, last in spans.tolist()])
    scores = totals + WHOLE * np.nan_to_num(whole, nan=-1.0)
    order = np.argsort(-scores, kind="stable")
    top = order[0]
    elsewhere = (lasts < firsts[top]) | (firsts > lasts[top])
    here = (firsts[top] <= at) & (at <= lasts[top])
    dense = features[:, DENSE.start]
    here_says = [document.headings[rows[top]], *document.stems[firsts[top] : lasts[top] + 1]]
    return Ranked(
        order,
        np.array([
            min(scores[top] - scores[elsewhere].max(initial=-np.inf), WIDEST_LEAD),
            whole[top] - np.nanmax(whole[elsewhere], initial=UNRELATED),
            dense[here].max() - dense[elsewhere].max(initial=UNRELATED),
            odds[here].sum() / odds.sum(),
            _strange(question, here_says, document.stems),
            lacks_measure(question, context[document.sentences[firsts[top]].start : document.sentences[lasts[top]].end]),
        ]),
    )  # fmt: skip


def _strange(question: str, provision: Sequence[Sequence[str]], document: Sequence[Sequence[str]]) -> float:
    """Share of the question's content words that the document never says, nor the provision by others of the same meaning."""
    words = words_of(question)
    unsaid = [stem for stem, full in words.items() if not is_said(stem, full, provision)]
    return sum(not any(stem in sentence for sentence in document) for stem in unsaid) / max(1, len(words))
