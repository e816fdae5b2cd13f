"""From a file to a published revision, step by step. Whatever fails leaves a status and a reason that a lawyer can read."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import unicodedata
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from orderly.errors import Conflict, EngineFailed, Invalid, StorageFailed, Unreadable
from orderly.models import PENDING_STATUSES, Caller, Chunk, DocumentStatus, Embedding, Extracted, RevisionContent
from orderly.services.chunking import chunk
from orderly.services.document_processor import DocumentProcessor, detect_type
from orderly.services.engine import LegalEngine
from orderly.services.health import health_report, incomplete_because
from orderly.services.structure import find_sections
from orderly.services.visuals.indexing import VisualIndexer
from orderly.settings import Settings
from orderly.store.base import Blobs, Store, WorkerStore

OnDuplicate = Literal["skip", "keep", "version"]
Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); `total` is 0 where it is not known."""

MAX_NAME = 255

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories: control, format (direction marks, zero width), lone surrogates, line and paragraph separators."""

EMBED_BATCH = 64
"""Windows embedded between two progress reports."""


@dataclass(frozen=True, slots=True)
class Ingested:
    document_id: str
    filename: str
    status: DocumentStatus
    reason: str
    pages: int
    """0 for formats without pages."""
    chunks: int
    duplicate: bool = False
    """The matter held the same content already, and nothing was added."""


def _quiet(stage: str, done: int, total: int) -> None:
    """No one is watching."""


@dataclass(frozen=True, slots=True)
class Ingestor:
    store: Store
    worker: WorkerStore
    blobs: Blobs
    processor: DocumentProcessor
    engine: LegalEngine
    settings: Settings
    visuals: VisualIndexer

    async def add(
        self,
        caller: Caller,
        matter_ref: str,
        path: Path,
        *,
        on_duplicate: OnDuplicate = "skip",
        progress: Progress = _quiet,
    ) -> Ingested:
        """Store the file at `path` in a matter as `caller` and make it readable.

        A file that cannot be read is stored all the same; its status and reason say why it is silent.

        Raises:
            MatterNotFound, Denied: the caller may not add to this matter.
            Invalid: the file is too large or is not a file.

        """
        sha256, size = await asyncio.to_thread(_fingerprint, path, self.settings.max_file_mb)
        content_type = await asyncio.to_thread(detect_type, path, path.name)
        registered = await self.store.rpc(
            caller,
            "register_document",
            {
                "matter_ref": matter_ref,
                "filename": visible_name(path.name),
                "content_type": content_type,
                "size_bytes": size,
                "sha256": sha256,
                "on_duplicate": on_duplicate,
            },
        )
        document = registered["document"]
        if registered["duplicate_of"] and document["status"] not in PENDING_STATUSES:
            return _report(document, duplicate=True)
        if document["status"] == "uploading" or not registered["duplicate_of"]:
            await self._keep(registered["storage_key"] or document["storage_key"], path)
            await self.store.rpc(caller, "document_stored", {"document_id": document["id"]})
        return await self.process(document["id"], progress=progress)

    async def _keep(self, key: str, path: Path) -> None:
        """The key holds the document's own id, so what stands there already is this file from an interrupted try."""
        try:
            await self.blobs.put(key, path)
        except Conflict:
            await self.blobs.delete(key)
            await self.blobs.put(key, path)

    async def process(self, document_id: str, *, progress: Progress = _quiet) -> Ingested:
        """Read a stored document and publish what it says. May be run again after any interruption."""
        document = await self.worker.rpc("worker_document", {"document_id": document_id})
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "file"
                await self.blobs.get(document["storage_key"], path)
                await self._status(document_id, "extracting")
                extracted = await self.processor.extract(
                    path, document["filename"], content_type=document["content_type"], progress=progress
                )
        except Unreadable as error:
            return await self._failed(document, error.status, error.message)
        except StorageFailed as error:
            return await self._failed(document, "failed", error.message)
        content = await self._content(document_id, extracted, progress)
        await self.worker.publish(content)
        await self.visuals.index(document, content.revision_id, extracted)
        return Ingested(
            document_id=document_id,
            filename=document["filename"],
            status=content.status,
            reason=content.reason,
            pages=len(extracted.pages) if extracted.paged else 0,
            chunks=len(content.chunks),
        )

    async def _content(self, document_id: str, extracted: Extracted, progress: Progress) -> RevisionContent:
        await self._status(document_id, "chunking")
        progress("chunking", 0, 0)
        sections, chunks = await asyncio.to_thread(self._structure, extracted)
        revision_id = str(uuid.uuid4())
        reasons = incomplete_because(extracted)
        try:
            embeddings = tuple(await self._embed(document_id, extracted.text, chunks, progress))
            model = self.engine.embedding_model
        except EngineFailed as error:
            embeddings, model = (), None
            reasons = (*reasons, f"it can be searched by words only, because it could not be embedded: {error.message}")
        return RevisionContent(
            document_id=document_id,
            revision_id=revision_id,
            extracted=extracted,
            sections=sections,
            chunks=chunks,
            chunk_ids=tuple(chunk_id(document_id, revision_id, c.ordinal) for c in chunks),
            embedding_model=model,
            embeddings=embeddings,
            status="partial" if reasons else "ready",
            reason="; ".join(reasons),
            health=health_report(extracted),
        )

    def _structure(self, extracted: Extracted) -> Any:
        sections = find_sections(extracted.text, extracted.headings, extracted.pages)
        chunks = chunk(
            extracted.text,
            sections,
            extracted.pages,
            max_chars=self.settings.chunk_chars,
            overlap=self.settings.chunk_overlap,
        )
        return sections, chunks

    async def _embed(self, document_id: str, text: str, chunks: Iterable[Chunk], progress: Progress) -> list[Embedding]:
        """Every window of every chunk: a chunk longer than the model's window gets several vectors."""
        await self._status(document_id, "embedding")
        places, pieces = await asyncio.to_thread(self._windows, text, chunks)
        done: list[Embedding] = []
        for at in range(0, len(pieces), EMBED_BATCH):
            progress("embedding", at, len(pieces))
            vectors = await self.engine.embed(pieces[at : at + EMBED_BATCH], task="retrieval/document")
            for (ordinal, part), vector in zip(places[at : at + EMBED_BATCH], vectors, strict=True):
                done.append(Embedding(ordinal, part, tuple(vector)))
        progress("embedding", len(pieces), len(pieces))
        return done

    def _windows(self, text: str, chunks: Iterable[Chunk]) -> tuple[list[tuple[int, int]], list[str]]:
        """(chunk, part) and text of everything that is embedded on its own."""
        places: list[tuple[int, int]] = []
        pieces: list[str] = []
        for c in chunks:
            body = text[c.start : c.end]
            for part, (start, end) in enumerate(self.engine.windows(body)):
                places.append((c.ordinal, part))
                pieces.append(body[start:end])
        return places, pieces

    async def _status(self, document_id: str, status: DocumentStatus, reason: str = "") -> None:
        await self.worker.rpc("set_document_status", {"document_id": document_id, "status": status, "reason": reason})

    async def _failed(self, document: Mapping[str, Any], status: Any, reason: str) -> Ingested:
        await self._status(document["id"], status, reason)
        return Ingested(document["id"], document["filename"], status, reason, pages=0, chunks=0)


def visible_name(name: str) -> str:
    """A file name as one line of visible text: what else it holds is replaced, so that it cannot pass for something else."""
    visible = "".join("_" if unicodedata.category(c) in _INVISIBLE else c for c in name)
    stem, dot, suffix = visible.rpartition(".")
    return visible if len(visible) <= MAX_NAME else f"{stem[: MAX_NAME - len(suffix) - 1]}{dot}{suffix}"


def chunk_id(document_id: str, revision_id: str, ordinal: int) -> str:
    """Stable for a place in a revision, and different from the same place in the next one."""
    return str(uuid.uuid5(uuid.UUID(document_id), f"{revision_id}/{ordinal}"))


def _fingerprint(path: Path, max_mb: int) -> tuple[str, int]:
    if not path.is_file():
        raise Invalid(f"{path.name} is not a file.")
    size = path.stat().st_size
    if size > max_mb * 1024 * 1024:
        raise Invalid(f"{path.name} is larger than {max_mb} MB, the most that is accepted.")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), size


def _report(document: Mapping[str, Any], *, duplicate: bool) -> Ingested:
    return Ingested(
        document_id=document["id"],
        filename=document["filename"],
        status=document["status"],
        reason=document["status_reason"] or "",
        pages=(document["page_count"] or 0) if document["paged"] else 0,
        chunks=document["chunk_count"] or 0,
        duplicate=duplicate,
    )
