"""Converts ranked hits to results: drops near-duplicates, and merges overlapping parts of one clause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from orderly.services.text import Passage
from orderly.store.functions.search import EmbeddingHit, KeywordHit

MAX_RESULT_CHARS = 2_500

MIN_SIMILARITY = 0.9
"""Jaccard similarity of word triples from which two passages are near-duplicates."""

MIN_TRIPLES = 20
"""Shorter passages are not compared, as they can be similar with a different meaning."""

Row = KeywordHit | EmbeddingHit


def merge_hits(ranked: Iterable[tuple[Row, float | None]], limit: int) -> tuple[list[Passage], int]:
    """Returns at most `limit` results, best first, and the number of dropped near-duplicates."""
    found: list[Passage] = []
    shapes: list[frozenset[tuple[str, ...]]] = []
    repeated = 0
    for row, score in ranked:
        at = next((i for i, passage in enumerate(found) if _can_merge(passage, row)), None)
        if at is not None:
            found[at] = _merge(found[at], row)
            shapes[at] = _triples(found[at].text)
            continue
        if len(found) == limit:
            continue
        shape = _triples(row["text"])
        if any(_near_duplicates(shape, other) for other in shapes):
            repeated += 1
            continue
        found.append(_passage(row, score))
        shapes.append(shape)
    return found, repeated


def _passage(row: Row, score: float | None) -> Passage:
    return Passage.from_row(row, score, row["similarity"] if "similarity" in row else None)  # noqa: SIM401 - narrows the type


def _can_merge(passage: Passage, row: Row) -> bool:
    """Whether passage and row overlap in one clause, and fit into one result."""
    if passage.revision_id != row["revision_id"] or passage.section_label != row["section_label"]:
        return False
    overlaps = passage.start < row["end"] and row["start"] < passage.end
    return bool(overlaps and max(passage.end, row["end"]) - min(passage.start, row["start"]) <= MAX_RESULT_CHARS)


def _merge(passage: Passage, row: Row) -> Passage:
    other = _passage(row, passage.score)
    first, last = sorted((passage, other), key=lambda p: p.start)
    text = first.text + last.text[max(0, first.end - last.start) :]
    return replace(
        other,
        id=first.id,
        ordinal=first.ordinal,
        start=first.start,
        end=max(first.end, last.end),
        text=text,
        page_first=first.page_first,
        page_last=max(first.page_last, last.page_last),
        similarity=max((p.similarity for p in (passage, other) if p.similarity is not None), default=None),
    )


def _triples(text: str) -> frozenset[tuple[str, ...]]:
    words = text.lower().split()
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def _near_duplicates(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    if min(len(one), len(other)) < MIN_TRIPLES:
        return False
    return len(one & other) >= MIN_SIMILARITY * len(one | other)
