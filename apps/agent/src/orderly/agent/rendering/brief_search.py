"""How much of a passage a language model reads in the result of a search. The form of the result stays as it is.

A passage with less than 5 % of the best one's relevance shows no words.
"""

from __future__ import annotations

from collections.abc import Iterator

from orderly.agent.rendering.cutting import CUT_CHARACTERS, cut_to
from orderly.services.search import SearchResult

FULL_CHARACTERS = 1_500
"""Characters of passages that are shown whole. Those after them are cut to what is nearest to the query."""

NEAR, REMOTE_SHARE, REMOTE_CHARACTERS = 6, 0.25, 100
"""Passages, and share of the best one's relevance, beyond which this much of a passage is shown."""

NAMED_SHARE = 0.05
"""Share of the best passage's relevance below which only the place of a passage is shown."""


def brief_texts(result: SearchResult) -> Iterator[str]:
    """What is shown of each passage, in order; empty: its place alone."""
    left, best = FULL_CHARACTERS, max((p.score or 0.0 for p in result.passages), default=0.0)
    for number, passage in enumerate(result.passages, 1):
        share = passage.score / best if passage.score is not None and best else 1.0
        yield _shown(passage.text, result.query, share, number, left)
        left -= len(passage.text)


def _shown(text: str, query: str, share: float, number: int, left: int) -> str:
    """`share`: of the best passage's relevance. `left`: characters that may be shown whole."""
    if share < NAMED_SHARE:
        return ""
    if number > NEAR or share < REMOTE_SHARE:
        return cut_to(query, text, REMOTE_CHARACTERS)
    return text if len(text) <= left else cut_to(query, text, CUT_CHARACTERS)
