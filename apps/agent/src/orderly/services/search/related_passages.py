"""Passages near to a message, found by meaning alone: what a model is shown before it has searched."""

from __future__ import annotations

import asyncio

from orderly.models import Caller
from orderly.services.engines import LegalEngine
from orderly.services.search.hybrid import vector_text
from orderly.services.text import Passage
from orderly.store.base import Store
from orderly.store.functions.search import match_document_embeddings

MOST_WINDOWS = 4
"""Embedding windows of a long message that are looked up; the question usually stands at its beginning or end."""


async def passages_near(
    store: Store, engine: LegalEngine, caller: Caller, matter_id: str, message: str, limit: int, similarity: float
) -> list[Passage]:
    """At most `limit` passages whose cosine similarity to some part of the message is at least `similarity`, best first.

    Raises:
        MatterNotFound: missing or not the caller's to see.
        EngineFailed: the engine gave no vector for the message.
    """
    windows = await asyncio.to_thread(engine.windows, message)
    if len(windows) > MOST_WINDOWS:
        half = MOST_WINDOWS // 2
        windows = [*windows[:half], *windows[-half:]]
    vectors = await engine.embed([message[start:end] for start, end in windows], task="retrieval/query")
    found = await asyncio.gather(
        *(
            match_document_embeddings(
                store, caller, matter_id, query_embedding=vector_text(vector), model=engine.embedding_model, match_count=limit
            )
            for vector in vectors
        )
    )
    best = {row["chunk_id"]: row for rows in found for row in sorted(rows, key=lambda r: r["similarity"])}
    ranked = sorted(best.values(), key=lambda row: (-row["similarity"], row["chunk_id"]))
    return [Passage.from_row(row, similarity=row["similarity"]) for row in ranked if row["similarity"] >= similarity][:limit]
