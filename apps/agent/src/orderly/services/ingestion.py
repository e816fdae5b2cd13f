"""From a file to a published revision, step by step. Whatever fails leaves a status and a reason that a lawyer can read."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import tempfile
import unicodedata
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from orderly.errors import (
    Conflict,
    DocumentNotFound,
    EngineFailed,
    EngineUnavailable,
    Invalid,
    OrderlyError,
    StorageFailed,
    TakenOver,
    Unreadable,
)
from orderly.models import PENDING_STATUSES, Caller, Chunk, DocumentStatus, Embedding, Extracted, RevisionContent
from orderly.services import accounting
from orderly.services.chunking import chunk
from orderly.services.claims import Claim, Progress
from orderly.services.document_processor import DocumentProcessor, detect_type
from orderly.services.engine import LegalEngine
from orderly.services.enricher import Enricher
from orderly.services.enriching import enriched
from orderly.services.health import health_report, incomplete_because
from orderly.services.structure import find_sections
from orderly.settings import Settings
from orderly.store.base import Blobs, Store, WorkerStore

OnDuplicate = Literal["skip", "keep", "version"]
MAX_NAME = 255

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories: control, format (direction marks, zero width), lone surrogates, line and paragraph separators."""

EMBED_BATCH = 64  # windows embedded between two progress reports
WATCH_SECONDS = 0.5  # between two looks at a document that another worker has

_log = logging.getLogger(__name__)


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
    enricher: Enricher | None = None

    async def add(
        self,
        caller: Caller,
        matter_ref: str,
        path: Path,
        *,
        on_duplicate: OnDuplicate = "skip",
        progress: Progress = _quiet,
        wait: bool = True,
    ) -> Ingested:
        """Store the file at `path` in a matter as `caller` and make it readable, or (not `wait`) leave that to the queue.

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
        if not wait:
            return _report(await self.worker.rpc("worker_document", {"document_id": document["id"]}), duplicate=False)
        return await self.finish(document["id"], progress=progress)

    async def _keep(self, key: str, path: Path) -> None:
        """The key holds the document's own id, so what stands there already is this file from an interrupted try."""
        try:
            await self.blobs.put(key, path)
        except Conflict:
            await self.blobs.delete(key)
            await self.blobs.put(key, path)

    async def finish(self, document_id: str, *, progress: Progress = _quiet) -> Ingested:
        """Process a stored document, or wait until the worker that has it has done so."""
        while True:
            if (done := await self.process(document_id, progress=progress)) is not None:
                return done
            document = await self.worker.rpc("worker_document", {"document_id": document_id})
            if document["status"] not in PENDING_STATUSES:
                return _report(document, duplicate=False)
            progress("waiting", 0, 0)
            await asyncio.sleep(WATCH_SECONDS)

    async def process(self, document_id: str, *, progress: Progress = _quiet, retry: bool = False) -> Ingested | None:
        """Read a stored document and publish what it says. May be run again after any interruption, by anyone.

        None: there is nothing to do, or another worker has the document, from the start or since it took it over.
        `retry`: while tries are left, what can heal is queued to be tried later instead of ending the document.
        """
        limits = {"lease_seconds": self.settings.lease_seconds, "max_attempts": self.settings.max_attempts}
        claimed = await self.worker.rpc("claim_document", {"document_id": document_id, **limits})
        if claimed is None:
            return None
        claim = Claim(self.worker, claimed, self.settings.lease_seconds)
        last = not retry or claim.attempts >= self.settings.max_attempts
        try:
            report = await self._read(claim, claim.reporting(progress), last=last)
        except (TakenOver, DocumentNotFound) as error:
            _log.warning("Document %s was left to others: %s", document_id, error.message)
            return None
        except asyncio.CancelledError:
            with suppress(OrderlyError):
                await asyncio.shield(claim.retry("", 0, counted=False))
            raise
        _log.info("Document %s: %s.", document_id, report.status)
        return report

    async def _read(self, claim: Claim, progress: Progress, *, last: bool) -> Ingested:
        document_id, name = str(claim.document["id"]), str(claim.document["filename"])
        try:
            content = await claim.while_kept(self._prepare(claim, progress, last=last))
            # Publishing holds the document itself.
            await self.worker.publish(content, claim.number)
        except Unreadable as error:
            return await self._failed(claim, error.status, error.message)
        except (StorageFailed, EngineUnavailable) as error:
            if last:
                return await self._failed(claim, "failed", error.message)
            await claim.retry(error.message, self.settings.retry_seconds * 2 ** (claim.attempts - 1))
            return Ingested(document_id, name, "queued", error.message, pages=0, chunks=0)
        except Invalid as error:
            if isinstance(error, TakenOver):
                raise
            # The store refuses the text itself, and would again.
            return await self._failed(claim, "failed", error.message)
        return Ingested(
            document_id=document_id,
            filename=name,
            status=content.status,
            reason=content.reason,
            pages=len(content.extracted.pages) if content.extracted.paged else 0,
            chunks=len(content.chunks),
        )

    async def _prepare(self, claim: Claim, progress: Progress, *, last: bool) -> RevisionContent:
        document = claim.document
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file"
            await self.blobs.get(document["storage_key"], path)
            extracted = await self.processor.extract(
                path, document["filename"], content_type=document["content_type"], progress=progress
            )
        async with accounting.on_ingestion(self.worker, document["id"]):
            return await self._content(claim, extracted, progress, last=last)

    async def _content(self, claim: Claim, extracted: Extracted, progress: Progress, *, last: bool) -> RevisionContent:
        """Raises EngineUnavailable unless this is the last try, which does without vectors and says so."""
        await claim.status("chunking")
        progress("chunking", 0, 0)
        extracted = await enriched(self.enricher, extracted, last=last)
        sections, chunks = await asyncio.to_thread(self._structure, extracted)
        document_id, revision_id = str(claim.document["id"]), str(uuid.uuid4())
        reasons = incomplete_because(extracted)
        try:
            embeddings = tuple(await self._embed(claim, extracted.text, chunks, progress))
            model = self.engine.embedding_model
        except EngineFailed as error:
            if isinstance(error, EngineUnavailable) and not last:
                raise
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

    async def _embed(self, claim: Claim, text: str, chunks: Iterable[Chunk], progress: Progress) -> list[Embedding]:
        """Every window of every chunk: a chunk longer than the model's window gets several vectors."""
        await claim.status("embedding")
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

    async def _failed(self, claim: Claim, status: Any, reason: str) -> Ingested:
        await claim.status(status, reason)
        return Ingested(claim.document["id"], claim.document["filename"], status, reason, pages=0, chunks=0)


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
