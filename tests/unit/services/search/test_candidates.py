"""Fused search stages: candidates of equal score come out in one order."""

from __future__ import annotations

from orderly.services.search.candidates import fuse
from orderly.store.functions.search import KeywordHit


def hit(chunk: str) -> KeywordHit:
    return {"chunk_id": chunk}  # type: ignore[typeddict-item]


def test_candidates_of_equal_score_are_ordered_by_their_id() -> None:
    one, two = hit("1"), hit("2")
    assert fuse([one], [two]) == fuse([two], [one]) == [one, two]
