"""Ingests stored files: extraction, chunking, embedding, publication. A failure sets a status with a readable reason."""

from __future__ import annotations

import asyncio
import logging
import uuid
from array import array
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from orderly.errors import (
    Damaged,
    DocumentNotFound,
    EngineFailed,
    EngineUnavailable,
    Invalid,
    OrderlyError,
    StorageFailed,
    TakenOver,
    Unreadable,
)
from orderly.models import PENDING_STATUSES, Chunk, DocumentStatus, Embedding, Extracted, RevisionContent
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import health_report, incomplete_because
from orderly.services.engines import Enricher, LegalEngine
from orderly.services.files import sha256_of, temporary_folder
from orderly.services.ingestion.attachments import AttachmentRegistrar, RegisteredAttachments
from orderly.services.ingestion.claims import Claim, Progress
from orderly.services.ingestion.document_enrichment import enrich
from orderly.services.ingestion.ocr_pages import StoredPages
from orderly.services.policy import matter_usage, permitted, policy_of_document
from orderly.services.visuals import VisualIndexer
from orderly.settings import Settings
from orderly.store.base import Blobs, WorkerStore
from orderly.store.functions.attachments import AttachedDocument
from orderly.store.functions.documents import Document
from orderly.store.functions.ingestion import ClaimedDocument, IngestedDocument, claim_document, claim_next, worker_document
from orderly.telemetry.metrics import DOCUMENTS, StageClock
from orderly.telemetry.spans import span

EMBED_BATCH = 64  # windows embedded between two progress reports
POLL_SECONDS = 0.5  # interval of polling a document that another worker holds

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ingested:
    document_id: str
    filename: str
    status: DocumentStatus
    reason: str
    pages: int
    """0 if the format has no pages."""
    chunks: int
    duplicate: bool = False
    """The matter had the same content already, so nothing was added."""
    note: str = ""
    """Message for the user beside the status."""
    attachments: tuple[Ingested, ...] = ()
    """Reports of the attached documents."""


def quiet(stage: str, done: int, total: int) -> None:
    """Ignores progress."""


@dataclass(frozen=True, slots=True)
class Ingestor:
    worker: WorkerStore
    blobs: Blobs
    processor: DocumentProcessor
    engine: LegalEngine
    settings: Settings
    visuals: VisualIndexer
    enricher: Enricher | None = None

    async def finish(self, document_id: str, *, progress: Progress = quiet) -> Ingested:
        """Ingests a stored document, or waits for the worker that holds it."""
        while True:
            if (done := await self.process(document_id, progress=progress)) is not None:
                return done
            document = await worker_document(self.worker, document_id)
            if document["status"] not in PENDING_STATUSES:
                return report_of(document)
            progress("waiting", 0, 0)
            await asyncio.sleep(POLL_SECONDS)

    async def process(self, document_id: str, *, progress: Progress = quiet, retry: bool = False) -> Ingested | None:
        """Ingests a stored document. Idempotent; can be repeated after any interruption.

        Returns None if there is nothing to do, or if another worker holds the document or takes it over.
        `retry`: queue the document again after a temporary failure, while attempts are left.
        """
        limits = self.settings
        claimed = await claim_document(
            self.worker, document_id, lease_seconds=limits.lease_seconds, max_attempts=limits.max_attempts
        )
        if claimed is None:
            return None
        return await self._work_on(claimed, progress, retry=retry)

    async def process_next(self, *, for_others: bool = False) -> bool:
        """Ingests the next document, with retries as `process`. Returns False if none waits.

        `for_others`: only a document of a person who has none in work.
        """
        limits = self.settings
        claimed = await claim_next(
            self.worker, lease_seconds=limits.lease_seconds, max_attempts=limits.max_attempts, for_others=for_others or None
        )
        if claimed is None:
            return False
        await self._work_on(claimed, quiet, retry=True)
        return True

    async def _work_on(self, claimed: ClaimedDocument, progress: Progress, *, retry: bool) -> Ingested | None:
        document_id = claimed["id"]
        claim = Claim(self.worker, claimed, self.settings.lease_seconds)
        last = not retry or claim.attempts >= self.settings.max_attempts
        clock = StageClock(claim.reporting(progress))
        try:
            with span("read document", document_id=document_id):
                report = await self._ingest(claim, clock, last=last)
        except (TakenOver, DocumentNotFound) as error:
            _log.warning("Document %s is no longer claimed by this worker: %s", document_id, error.message)
            return None
        except asyncio.CancelledError:
            with suppress(OrderlyError):
                await asyncio.shield(claim.retry("", 0, counted=False))
            raise
        finally:
            clock.end()
        DOCUMENTS.labels(report.status).inc()
        _log.info("Document %s: %s.", document_id, report.status)
        return report

    async def _ingest(self, claim: Claim, progress: Progress, *, last: bool) -> Ingested:
        document_id, name = claim.document["id"], claim.document["filename"]
        try:
            async with policy_of_document(self.worker, document_id):
                content = await claim.run(self._prepare(claim, progress, last=last))
            # No lease renewal here: publishing locks the document's row.
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
            # Permanent: the store rejects the text.
            return await self._failed(claim, "failed", error.message)
        async with policy_of_document(self.worker, document_id):
            await self.visuals.index(claim.document, content.revision_id, content.extracted)
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
        async with temporary_folder() as folder:
            path = folder / "file"
            await self.blobs.get(document["storage_key"], path)
            if await asyncio.to_thread(sha256_of, path) != document["sha256"]:
                raise Damaged("The stored file is not the one that was received: its SHA-256 differs. Upload it again.")
            extracted = await self.processor.extract(
                path,
                document["filename"],
                content_type=document["content_type"],
                progress=progress,
                page_cache=StoredPages(self.worker, document["id"], claim.number),
                max_characters=self.settings.max_chat_characters if document["in_chat"] else None,
            )
        registrar = AttachmentRegistrar(claim, self.blobs, self.processor, self.settings)
        attached = await registrar.register(extracted.attachments)
        async with matter_usage.charge_ingestion(self.worker, document["id"]):
            return await self._content(claim, extracted, attached, progress, last=last)

    async def _content(
        self, claim: Claim, extracted: Extracted, attached: RegisteredAttachments, progress: Progress, *, last: bool
    ) -> RevisionContent:
        """Raises EngineUnavailable unless this is the last attempt, which publishes without vectors and reports the reason."""
        await claim.status("chunking")
        progress("chunking", 0, 0)
        extracted = await enrich(self.enricher if permitted("isaacus") else None, extracted, last=last)
        sections, chunks = await self.processor.divide(
            extracted, max_chars=self.settings.chunk_chars, overlap=self.settings.chunk_overlap
        )
        document_id, revision_id = claim.document["id"], str(uuid.uuid4())
        reasons = (*incomplete_because(extracted), *attached.incomplete)
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
            health=health_report(extracted, reasons, attached.entries),
        )

    async def _embed(self, claim: Claim, text: str, chunks: Iterable[Chunk], progress: Progress) -> list[Embedding]:
        """Embeds every chunk; a chunk longer than the model's window gets one vector per window."""
        await claim.status("embedding")
        windows = await asyncio.to_thread(self._windows, text, chunks)
        distinct = list(windows)
        done: list[Embedding] = []
        for at in range(0, len(distinct), EMBED_BATCH):
            progress("embedding", at, len(distinct))
            pieces = distinct[at : at + EMBED_BATCH]
            vectors = await self.engine.embed(pieces, task="retrieval/document")
            for piece, vector in zip(pieces, vectors, strict=True):
                done += [Embedding(ordinal, part, array("f", vector)) for ordinal, part in windows[piece]]
        progress("embedding", len(distinct), len(distinct))
        return sorted(done, key=lambda embedding: (embedding.chunk, embedding.part))

    def _windows(self, text: str, chunks: Iterable[Chunk]) -> dict[str, list[tuple[int, int]]]:
        """Returns the places (chunk ordinal, part) of each distinct window. Chunks without a letter or digit have none."""
        windows: dict[str, list[tuple[int, int]]] = {}
        for c in chunks:
            body = text[c.start : c.end]
            if not any(map(str.isalnum, body)):
                continue
            for part, (start, end) in enumerate(self.engine.windows(body)):
                windows.setdefault(body[start:end], []).append((c.ordinal, part))
        return windows

    async def _failed(self, claim: Claim, status: DocumentStatus, reason: str) -> Ingested:
        await claim.status(status, reason)
        return Ingested(claim.document["id"], claim.document["filename"], status, reason, pages=0, chunks=0)


def chunk_id(document_id: str, revision_id: str, ordinal: int) -> str:
    """Derives a chunk's id from revision and ordinal, so that it is stable, and unique among revisions."""
    return str(uuid.uuid5(uuid.UUID(document_id), f"{revision_id}/{ordinal}"))


def report_of(document: IngestedDocument | Document | AttachedDocument, *, duplicate: bool = False) -> Ingested:
    """Converts a row of the store to a report."""
    return Ingested(
        document_id=document["id"],
        filename=document["filename"],
        status=document["status"],
        reason=document["status_reason"],
        pages=(document["page_count"] or 0) if document["paged"] else 0,
        chunks=document["chunk_count"] or 0,
        duplicate=duplicate,
    )
