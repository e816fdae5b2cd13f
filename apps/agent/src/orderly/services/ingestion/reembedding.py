"""Computes the vectors of another engine, while searches use the present ones. Resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from orderly.errors import EngineRefused
from orderly.services.engines import LegalEngine
from orderly.services.policy import matter_usage, permitted, policy_of_document, refusal
from orderly.services.search import vector_text
from orderly.store.base import WorkerStore
from orderly.store.functions.embeddings import (
    ChunkToEmbed,
    NewEmbedding,
    RevisionToEmbed,
    add_embeddings,
    chunks_to_embed,
    complete_embedding,
    drop_other_vectors,
    revisions_to_embed,
)

CHUNK_BATCH = 50
"""Chunks embedded and stored together."""

DOCUMENT_BATCH = 100

Progress = Callable[[str, int, int], None]
"""Called with (document, chunks done, total chunks)."""


@dataclass(slots=True)
class Reembedded:
    documents: int = 0
    vectors: int = 0
    replaced: list[str] = field(default_factory=list)
    """Documents that got a new revision in the meantime, which ingestion has embedded."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Document and reason."""


@dataclass(frozen=True, slots=True)
class Reembedder:
    worker: WorkerStore
    engine: LegalEngine

    async def run(self, matter_id: str | None, progress: Progress) -> Reembedded:
        """Embeds the documents of a matter (None: all matters) that lack vectors of this engine's model.

        Raises:
            EngineFailed: the engine does not answer. Finished work is stored.

        """
        report, after = Reembedded(), 0
        while found := await self._documents(matter_id, after):
            for document in found:
                await self._reembed(document, report, progress)
            after = found[-1]["upload_order"]
        return report

    async def drop_others(self, matter_id: str | None) -> tuple[int, int]:
        """Removes other models' vectors from fully embedded documents. Returns the numbers of documents and vectors."""
        documents = vectors = 0
        while (dropped := await drop_other_vectors(self.worker, self.engine.embedding_model, matter_id=matter_id))["documents"]:
            documents, vectors = documents + dropped["documents"], vectors + dropped["vectors"]
        return documents, vectors

    async def _documents(self, matter_id: str | None, after: int) -> list[RevisionToEmbed]:
        return await revisions_to_embed(
            self.worker, self.engine.embedding_model, matter_id=matter_id, after=after, row_count=DOCUMENT_BATCH
        )

    async def _reembed(self, document: RevisionToEmbed, report: Reembedded, progress: Progress) -> None:
        name = document["filename"]
        external = self.engine.name == "isaacus"
        async with policy_of_document(self.worker, document["document_id"]):
            if external and not permitted("isaacus"):
                report.refused.append((name, refusal("isaacus")))
                return
            await self._reembed_permitted(document, report, progress)

    async def _reembed_permitted(self, document: RevisionToEmbed, report: Reembedded, progress: Progress) -> None:
        name = document["filename"]
        try:
            async with matter_usage.charge_ingestion(self.worker, document["document_id"]):
                report.vectors += await self._embed_chunks(document, progress)
        except EngineRefused as error:
            report.refused.append((name, error.message))
            return
        if await complete_embedding(self.worker, document["revision_id"], self.engine.embedding_model):
            report.documents += 1
        else:
            report.replaced.append(name)

    async def _embed_chunks(self, document: RevisionToEmbed, progress: Progress) -> int:
        revision_id, model = document["revision_id"], self.engine.embedding_model
        done = added = 0
        progress(document["filename"], 0, document["chunk_count"])
        while chunks := await chunks_to_embed(self.worker, revision_id, model, row_count=CHUNK_BATCH):
            new = await add_embeddings(self.worker, revision_id, model, rows=await self._vectors(chunks))
            if not new:  # the revision was replaced or deleted
                break
            done, added = done + len(chunks), added + new
            progress(document["filename"], done, document["chunk_count"])
        return added

    async def _vectors(self, chunks: Iterable[ChunkToEmbed]) -> list[NewEmbedding]:
        """Embeds every window of every chunk."""
        places, pieces = [], []
        for chunk in chunks:
            for part, (start, end) in enumerate(self.engine.windows(chunk["text"])):
                places.append((chunk["id"], part))
                pieces.append(chunk["text"][start:end])
        vectors = await self.engine.embed(pieces, task="retrieval/document")
        return [
            {"chunk_id": chunk_id, "part": part, "embedding": vector_text(vector)}
            for (chunk_id, part), vector in zip(places, vectors, strict=True)
        ]
