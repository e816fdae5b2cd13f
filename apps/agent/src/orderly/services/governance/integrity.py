"""Verifies the integrity of a store: text, chunks, vectors and citations of each revision, and the hash of each file."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from orderly.errors import StorageFailed
from orderly.store.base import Blobs, WorkerStore
from orderly.store.functions.integrity import (
    RevisionRecord,
    StoredFile,
    revision_record,
    stored_files,
    stored_revisions,
    unproven_documents,
)


@dataclass(frozen=True, slots=True)
class Fault:
    document: str
    """Id of the document."""
    filename: str
    what: str


@dataclass
class Proof:
    """Numbers of checked items, and the faults found."""

    revisions: int = 0
    characters: int = 0
    chunks: int = 0
    vectors: int = 0
    citations: int = 0
    files: int = 0
    bytes: int = 0
    faults: list[Fault] = field(default_factory=list)


async def prove(worker: WorkerStore, blobs: Blobs) -> Proof:
    """Checks the whole store, one revision at a time. Concurrent changes may not be included."""
    proof = Proof()
    for row in await unproven_documents(worker):
        proof.faults.append(Fault(row["document_id"], row["filename"], row["reason"]))
    async for revision in _revisions(worker):
        _count(proof, revision)
        found = await asyncio.to_thread(lambda r: list(revision_faults(r)), revision)
        proof.faults += [Fault(revision["document_id"], revision["filename"], what) for what in found]
    async for file in _files(worker):
        proof.files += 1
        size, what = await _file_fault(blobs, file)
        proof.bytes += size
        if what:
            proof.faults.append(Fault(file["document_id"], file["filename"], what))
    return proof


def _count(proof: Proof, revision: RevisionRecord) -> None:
    proof.revisions += 1
    proof.characters += len(revision["text"])
    proof.chunks += len(revision["chunks"])
    proof.vectors += sum(found for _, _, found, _ in revision["vectors"])
    proof.citations += len(revision["citations"])


async def _revisions(worker: WorkerStore) -> AsyncIterator[RevisionRecord]:
    after = None
    while ids := await stored_revisions(worker, after=after, row_count=500):
        for revision_id in ids:
            record = await revision_record(worker, revision_id)
            if record is not None:  # None: purged since the listing
                yield record
        after = ids[-1]


async def _files(worker: WorkerStore) -> AsyncIterator[StoredFile]:
    after = None
    while rows := await stored_files(worker, after=after, row_count=1000):
        for row in rows:
            yield row
        after = rows[-1]["storage_key"]


def revision_faults(revision: RevisionRecord) -> Iterator[str]:
    """Describes the faults of a revision. Only current revisions have chunks."""
    text = revision["text"]
    if _sha256(text) != revision["text_sha256"] or len(text) != revision["char_count"]:
        yield "its text is not the text that was stored"
    if not revision["file_known"]:
        yield "the file it was read from is not on record"
    if [number for number, _, _ in revision["pages"]] != list(range(1, revision["page_count"] + 1)):
        yield f"it has {len(revision['pages'])} of its {revision['page_count']} pages"
    if any(not 0 <= start <= end <= len(text) for _, start, end in revision["pages"]):
        yield "a page lies outside its text"
    if any(not 0 <= start <= end <= len(text) for start, end in revision["sections"]):
        yield "a section lies outside its text"
    for cited, start, end, digest in revision["citations"]:
        if _sha256(text[start:end]) != digest:
            yield f"citation {cited} is not what stands at its place"
    if revision["current"]:
        yield from _chunk_faults(revision)


def _chunk_faults(revision: RevisionRecord) -> Iterator[str]:
    text, expected = revision["text"], revision["chunk_count"]
    if [ordinal for ordinal, *_ in revision["chunks"]] != list(range(expected)):
        yield f"it has {len(revision['chunks'])} of its {expected} chunks"
    for ordinal, start, end, digest in revision["chunks"]:
        if _sha256(text[start:end]) != digest:
            yield f"chunk {ordinal} is not what stands at its place"
    complete = {model for model, *_ in revision["vectors"]}
    if expected and revision["embedding_model"] and not complete:
        yield "it has vectors of no model"
    for model, wanted, found, bare in revision["vectors"]:
        if wanted != found or bare:
            yield f"it has {found} of its {wanted} vectors of {model}, and {bare} chunks have none"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


async def _file_fault(blobs: Blobs, file: StoredFile) -> tuple[int, str]:
    """Returns the bytes read, and a description of the fault, or ""."""
    digest, size = hashlib.sha256(), 0
    try:
        async for block in blobs.stream(file["storage_key"]):
            size += len(block)
            digest.update(block)
    except StorageFailed as error:
        return size, f"its file cannot be read: {error.message}"
    if digest.hexdigest() != file["sha256"]:
        return size, f"its file {file['storage_key']} is not the file that was stored"
    return size, ""
