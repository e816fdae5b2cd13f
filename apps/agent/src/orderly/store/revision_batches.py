"""Publishes a revision in calls of bounded size, for adapters without transactions across calls."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from orderly.models import RevisionContent
from orderly.store import revision_rows as rows
from orderly.store.base import WorkerCalls
from orderly.store.functions.ingestion import RowKind, add_revision_rows, begin_revision, publish_revision

_BATCH_ROWS = 200
"""Rows per request: about 2 MB of vectors as text, below the limits of common proxies."""


async def publish_in_batches(calls: WorkerCalls, content: RevisionContent, claim: int) -> None:
    """Implements `store.base.WorkerStore.publish`. The rows become visible with the last call."""
    document_id, revision_id = content.document_id, content.revision_id
    await begin_revision(calls, document_id, claim=claim, revision=rows.revision_header(content))
    for kind, records in await asyncio.to_thread(_records, content):
        for first in range(0, len(records), _BATCH_ROWS):
            batch = records[first : first + _BATCH_ROWS]
            await add_revision_rows(calls, document_id, claim=claim, revision_id=revision_id, kind=kind, rows=batch)
    await publish_revision(
        calls, document_id, claim=claim, revision_id=revision_id, status=content.status, reason=content.reason,
        embedding_count=len(content.embeddings),
    )  # fmt: skip


def _records(content: RevisionContent) -> list[tuple[RowKind, list[dict[str, Any]]]]:
    """Converts a revision to records by kind, in the order of their references. Blocking."""
    vectors = [
        {"chunk_id": c, "part": part, "model": content.embedding_model, "embedding": _vector_text(v)}
        for c, part, v in rows.embedding_rows(content)
    ]
    return [
        ("pages", [dict(zip(rows.PAGE_COLUMNS, r, strict=True)) for r in rows.page_rows(content)]),
        ("sections", [dict(zip(rows.SECTION_COLUMNS, r, strict=True)) for r in rows.section_rows(content)]),
        ("chunks", [dict(zip(rows.CHUNK_COLUMNS, r, strict=True)) for r in rows.chunk_rows(content)]),
        ("embeddings", vectors),
    ]


def _vector_text(values: Sequence[float]) -> str:
    return "[" + ",".join(map(repr, values)) + "]"
