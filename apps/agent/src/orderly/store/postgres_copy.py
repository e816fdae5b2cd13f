"""Publishes a revision in one transaction with binary COPY."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol
from uuid import UUID

from psycopg import AsyncConnection, AsyncCursor, sql
from psycopg.types.json import Jsonb

from orderly.models import RevisionContent
from orderly.store import revision_rows as rows
from orderly.store.base import WorkerCalls
from orderly.store.functions.ingestion import begin_revision, publish_revision, worker_document


class Transaction(WorkerCalls, Protocol):
    """Calls as the service role in one transaction of `connection`."""

    @property
    def connection(self) -> AsyncConnection[Any]: ...


async def publish_by_copy(transaction: AbstractAsyncContextManager[Transaction], content: RevisionContent, claim: int) -> None:
    """Implements `store.base.WorkerStore.publish` in `transaction`, which it enters."""
    header = rows.revision_header(content)
    copies = await asyncio.to_thread(binary_copies, content)
    document_id, revision_id = content.document_id, content.revision_id
    async with transaction as calls:
        # Locks the document until the transaction ends, so that no other worker can claim it.
        await begin_revision(calls, document_id, claim=claim, revision=header)
        home = await worker_document(calls, document_id)
        constant = {
            "revision_id": UUID(revision_id), "document_id": UUID(document_id), "matter_id": UUID(home["matter_id"])
        }  # fmt: skip
        async with calls.connection.cursor() as cursor:
            for copy in copies:
                await copy.run(cursor, constant)
        await publish_revision(
            calls, document_id, claim=claim, revision_id=revision_id, status=content.status, reason=content.reason,
            embedding_count=len(content.embeddings),
        )  # fmt: skip


class BinaryCopy:
    """One binary COPY. The values of the `constant` columns are appended to every row."""

    def __init__(self, table: str, columns: Mapping[str, str], constant: Sequence[str], data: list[rows.Row]) -> None:
        self._types = [*columns.values(), *("uuid" for _ in constant)]
        self._constant = constant
        self._data = data
        names = sql.SQL(", ").join(sql.Identifier(name) for name in (*columns, *constant))
        self._statement = sql.SQL("copy public.{} ({}) from stdin (format binary)").format(sql.Identifier(table), names)

    async def run(self, cursor: AsyncCursor[Any], constant: Mapping[str, UUID]) -> None:
        tail = tuple(constant[name] for name in self._constant)
        async with cursor.copy(self._statement) as copy:
            copy.set_types(self._types)
            for row in self._data:
                await copy.write_row((*row, *tail))


_PAGE_TYPES = ("int4", "int4", "int4", "text", "text", "float4", "text", "jsonb", "float4", "float4", "jsonb")
_SECTION_TYPES = ("uuid", "int4", "int4", "int4", "text", "text", "int4", "int4", "int4", "int4")
_CHUNK_TYPES = ("uuid", "int4", "int4", "int4", "int4", "int4", "uuid", "text")
# Vectors are sent in binary form, which psycopg writes unchanged for bytea.
_EMBEDDING_TYPES = {"chunk_id": "uuid", "part": "int4", "model": "text", "embedding": "bytea"}


def binary_copies(content: RevisionContent) -> list[BinaryCopy]:
    """Converts a revision to rows. Blocking: a few microseconds per row."""
    pages = [(*r[:7], Jsonb(r[7]), r[8], r[9], Jsonb(r[10])) for r in rows.page_rows(content)]
    sections = [(UUID(r[0]), *r[1:]) for r in rows.section_rows(content)]
    chunks = [(UUID(r[0]), *r[1:6], UUID(r[6]) if r[6] else None, r[7]) for r in rows.chunk_rows(content)]
    model = content.embedding_model
    vectors = [(UUID(c), part, model, _wire_vector(v)) for c, part, v in rows.embedding_rows(content)]
    return [
        BinaryCopy("document_pages", dict(zip(rows.PAGE_COLUMNS, _PAGE_TYPES, strict=True)), ["revision_id"], pages),
        BinaryCopy("sections", dict(zip(rows.SECTION_COLUMNS, _SECTION_TYPES, strict=True)), ["revision_id"], sections),
        BinaryCopy(
            "chunks", dict(zip(rows.CHUNK_COLUMNS, _CHUNK_TYPES, strict=True)),
            ["revision_id", "document_id", "matter_id"], chunks,
        ),
        BinaryCopy("chunk_embeddings", _EMBEDDING_TYPES, ["revision_id", "matter_id"], vectors),
    ]  # fmt: skip


def _wire_vector(values: Sequence[float]) -> bytes:
    """Encodes a vector in pgvector's binary format: dimension and a reserved zero as int16, then float32, big-endian."""
    return struct.pack(f">HH{len(values)}f", len(values), 0, *values)
