"""Makes results out of ranked rows: repeats collapsed, neighbours of one clause joined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from orderly.services.text import Passage
from orderly.store.functions.search import EmbeddingHit, KeywordHit

LONGEST = 2_500
"""Characters of one result."""
ALIKE = 0.9
"""Share of common word triples (Jaccard) from which two passages say the same."""
FEWEST_TRIPLES = 20
"""Of shorter passages two may look alike and mean different things."""

Row = KeywordHit | EmbeddingHit


def present(ranked: Iterable[tuple[Row, float | None]], limit: int) -> tuple[list[Passage], int]:
    """At most `limit` results, best first, and how many passages were left out because they repeat one that is shown."""
    found: list[Passage] = []
    shapes: list[frozenset[tuple[str, ...]]] = []
    repeated = 0
    for row, score in ranked:
        at = next((i for i, passage in enumerate(found) if _joins(passage, row)), None)
        if at is not None:
            found[at] = _joined(found[at], row)
            shapes[at] = _triples(found[at].text)
            continue
        if len(found) == limit:
            continue
        shape = _triples(row["text"])
        if any(_alike(shape, other) for other in shapes):
            repeated += 1
            continue
        found.append(_passage(row, score))
        shapes.append(shape)
    return found, repeated


def _passage(row: Row, score: float | None) -> Passage:
    return Passage.from_row(row, score, row["similarity"] if "similarity" in row else None)  # noqa: SIM401 - narrows the type


def _joins(passage: Passage, row: Row) -> bool:
    """Overlapping parts of one clause, together no longer than a result may be."""
    if passage.revision_id != row["revision_id"] or passage.section_label != row["section_label"]:
        return False
    overlaps = passage.start < row["end"] and row["start"] < passage.end
    return bool(overlaps and max(passage.end, row["end"]) - min(passage.start, row["start"]) <= LONGEST)


def _joined(passage: Passage, row: Row) -> Passage:
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


def _alike(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    if min(len(one), len(other)) < FEWEST_TRIPLES:
        return False
    return len(one & other) >= ALIKE * len(one | other)
