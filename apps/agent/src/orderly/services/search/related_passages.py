"""Finds passages related to a message by vector similarity, for the model's initial context."""

from __future__ import annotations

import asyncio

from orderly.models import Caller
from orderly.services.engines import LegalEngine
from orderly.services.search.matter_search import vector_text
from orderly.services.text import Passage
from orderly.store.base import Store
from orderly.store.functions.search import match_document_embeddings

MAX_WINDOWS = 4
"""Embedding windows used of a long message, from its start and end, where the question usually is."""


async def passages_near(
    store: Store, engine: LegalEngine, caller: Caller, matter_id: str, message: str, limit: int, similarity: float
) -> list[Passage]:
    """Returns at most `limit` passages with a cosine of at least `similarity` to a part of the message, best first.

    Raises:
        MatterNotFound: the matter is missing, or the caller has no access to it.
        EngineFailed: the engine returned no vectors.
    """
    windows = await asyncio.to_thread(engine.windows, message)
    if len(windows) > MAX_WINDOWS:
        half = MAX_WINDOWS // 2
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
