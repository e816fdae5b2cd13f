"""Makes revisions for tests: paragraphs as chunks, and vectors without a model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from uuid import UUID, uuid4, uuid5

from orderly.models import Caller, Chunk, DocumentStatus, Embedding, Extracted, Page, RevisionContent, Section
from orderly.store.base import Store, WorkerStore

TEST_MODEL = "test-embedding"


async def register_text(store: Store, caller: Caller, matter_ref: str, filename: str, text: str) -> str:
    data = text.encode()
    registered = await store.rpc(
        caller,
        "register_document",
        {
            "matter_ref": matter_ref,
            "filename": filename,
            "content_type": "text/plain",
            "size_bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "on_duplicate": "keep",
        },
    )
    document_id: str = registered["document"]["id"]
    await store.rpc(caller, "document_stored", {"document_id": document_id})
    return document_id


async def claim(worker: WorkerStore, document_id: str, *, lease_seconds: int = 30) -> int:
    """Claims a queued document as a worker does; returns the attempt."""
    taken = await worker.rpc("claim_document", {"document_id": document_id, "lease_seconds": lease_seconds, "max_attempts": 5})
    assert taken is not None, "the document is not queued"
    number: int = taken["claim"]
    return number


async def publish(worker: WorkerStore, content: RevisionContent) -> None:
    await worker.publish(content, await claim(worker, content.document_id))


async def republish(store: Store, caller: Caller, worker: WorkerStore, content: RevisionContent) -> None:
    """Publishes a further revision of a document that already has one."""
    await store.rpc(caller, "reprocess_document", {"document_id": content.document_id})
    await publish(worker, content)


def revision_of(
    document_id: str,
    text: str,
    *,
    sections: Sequence[Section] = (),
    chunked: bool = True,
    status: DocumentStatus = "ready",
    revision_id: str | None = None,
) -> RevisionContent:
    """Returns a revision whose chunks are the paragraphs of the text, each with one vector from `vector_of`."""
    revision_id = revision_id or str(uuid4())
    pages = _pages(text)
    chunks = tuple(_chunks(pages, text, sections)) if chunked else ()
    return RevisionContent(
        document_id=document_id,
        revision_id=revision_id,
        extracted=Extracted(text=text, pages=pages, paged="\f" in text, reader="text utf-8"),
        sections=tuple(sections),
        chunks=chunks,
        chunk_ids=tuple(str(uuid5(UUID(document_id), f"{revision_id}:{c.ordinal}")) for c in chunks),
        embedding_model=TEST_MODEL if chunks else None,
        embeddings=tuple(Embedding(c.ordinal, 0, vector_of(text[c.start : c.end])) for c in chunks),
        status=status,
        reason="" if status == "ready" else "Some pages were not read.",
        health={"pages": len(pages)},
    )


def _pages(text: str) -> tuple[Page, ...]:
    pages, start = [], 0
    for number, part in enumerate(text.split("\f"), start=1):
        pages.append(Page(number=number, start=start, end=start + len(part)))
        start += len(part) + 1
    return tuple(pages)


def _chunks(pages: Sequence[Page], text: str, sections: Sequence[Section]) -> Iterator[Chunk]:
    found = re.finditer(r"\S(?:[^\n\f]|\n(?!\n))*", text)
    for ordinal, (start, end) in enumerate(match.span() for match in found):
        page = max(p.number for p in pages if p.start <= start)
        section = next((s.ordinal for s in reversed(sections) if s.start <= start < s.end), None)
        yield Chunk(ordinal, start, end, section, page, page)


def vector_of(text: str) -> tuple[float, ...]:
    """Returns a unit vector of hashed words: texts that share words are near each other."""
    counts = [0.0] * 64
    for word in text.lower().split():
        counts[hashlib.sha256(word.strip(".,;").encode()).digest()[0] % 64] += 1.0
    length = sum(c * c for c in counts) ** 0.5 or 1.0
    return tuple(c / length for c in counts)


def vector_text(values: Sequence[float]) -> str:
    return "[" + ",".join(map(repr, values)) + "]"
