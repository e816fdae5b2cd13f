"""Fuses the rows of several search stages to the candidates that the engine reranks."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.store.functions.search import EmbeddingHit, KeywordHit

RERANKED = 40
"""Fused candidates that the engine reranks: enough for ten results, and fast enough offline on two cores."""

KEPT = 5
"""First rows of a stage that are reranked whatever the other stages found: the only one with a rare word, for example."""

FUSION_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): score = sum over stages of 1 / (k + rank)."""

MIN_COSINE = 0.2
"""Passages below this cosine that share no word with the query are dropped (measured with all-MiniLM-L6-v2)."""


Hit = KeywordHit | EmbeddingHit


def drop_weak(vectors: Sequence[EmbeddingHit], words: Sequence[KeywordHit]) -> list[EmbeddingHit]:
    """Drops vector hits below MIN_COSINE that share no word with the query."""
    shared = {row["chunk_id"] for row in words}
    return [row for row in vectors if row["similarity"] >= MIN_COSINE or row["chunk_id"] in shared]


def fuse(*stages: Sequence[Hit]) -> list[Hit]:
    """Reciprocal rank fusion by chunk. Ties are ordered by chunk id, so that the order is deterministic."""
    rows: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    for stage in stages:
        for rank, row in enumerate(stage, 1):
            rows.setdefault(row["chunk_id"], row)
            scores[row["chunk_id"]] = scores.get(row["chunk_id"], 0.0) + 1 / (FUSION_CONSTANT + rank)
    return [rows[id] for id in sorted(rows, key=lambda id: (-scores[id], id))]


def candidates_of(*stages: Sequence[Hit]) -> list[Hit]:
    """The best fused rows: RERANKED of them, with the first KEPT of every stage always among them."""
    fused = fuse(*stages)
    kept = {row["chunk_id"] for stage in stages for row in stage[:KEPT]}
    others = [row["chunk_id"] for row in fused if row["chunk_id"] not in kept][: RERANKED - len(kept)]
    return [row for row in fused if row["chunk_id"] in kept.union(others)]
