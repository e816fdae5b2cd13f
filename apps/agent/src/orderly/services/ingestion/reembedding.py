"""Another engine's vectors, made beside those that serve. Can be interrupted and started again at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orderly.errors import EngineRefused
from orderly.services.engines import LegalEngine
from orderly.services.policy import matter_usage, permitted, policy_of_document, refusal
from orderly.services.search import vector_text
from orderly.store.base import WorkerStore

CHUNKS = 50
"""Chunks whose vectors are made and stored together."""

DOCUMENTS = 100

Progress = Callable[[str, int, int], None]
"""Called with (document, chunks done, chunks in all)."""


@dataclass(slots=True)
class Reembedded:
    documents: int = 0
    vectors: int = 0
    replaced: list[str] = field(default_factory=list)
    """Documents that got a new revision meanwhile; it has vectors of its own."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Document and reason."""


@dataclass(frozen=True, slots=True)
class Reembedder:
    worker: WorkerStore
    engine: LegalEngine

    async def run(self, matter_id: str | None, progress: Progress) -> Reembedded:
        """Every document of the matter (None: of all) that this engine's model has not embedded in full.

        Raises:
            EngineFailed: the engine does not answer; what was done is kept.

        """
        report, after = Reembedded(), 0
        while found := await self._documents(matter_id, after):
            for document in found:
                await self._one(document, report, progress)
            after = found[-1]["upload_order"]
        return report

    async def drop_others(self, matter_id: str | None) -> tuple[int, int]:
        """Removes the vectors of other models from documents that have this one's in full. Gives (documents, vectors)."""
        documents = vectors = 0
        params = {"model": self.engine.embedding_model, "matter_id": matter_id}
        while (dropped := await self.worker.rpc("drop_other_vectors", params))["documents"]:
            documents, vectors = documents + dropped["documents"], vectors + dropped["vectors"]
        return documents, vectors

    async def _documents(self, matter_id: str | None, after: int) -> list[dict[str, Any]]:
        params = {"model": self.engine.embedding_model, "matter_id": matter_id, "after": after, "row_count": DOCUMENTS}
        found: list[dict[str, Any]] = await self.worker.rpc("revisions_to_embed", params)
        return found

    async def _one(self, document: Mapping[str, Any], report: Reembedded, progress: Progress) -> None:
        name = document["filename"]
        outside = self.engine.name == "isaacus"
        async with policy_of_document(self.worker, document["document_id"]):
            if outside and not permitted("isaacus"):
                report.refused.append((name, refusal("isaacus")))
                return
            await self._permitted(document, report, progress)

    async def _permitted(self, document: Mapping[str, Any], report: Reembedded, progress: Progress) -> None:
        name = document["filename"]
        try:
            async with matter_usage.on_ingestion(self.worker, document["document_id"]):
                report.vectors += await self._chunks(document, progress)
        except EngineRefused as error:
            report.refused.append((name, error.message))
            return
        whole = {"revision_id": document["revision_id"], "model": self.engine.embedding_model}
        if await self.worker.rpc("complete_embedding", whole):
            report.documents += 1
        else:
            report.replaced.append(name)

    async def _chunks(self, document: Mapping[str, Any], progress: Progress) -> int:
        revision = {"revision_id": document["revision_id"], "model": self.engine.embedding_model}
        done = added = 0
        progress(document["filename"], 0, document["chunk_count"])
        while chunks := await self.worker.rpc("chunks_to_embed", {**revision, "row_count": CHUNKS}):
            new = await self.worker.rpc("add_embeddings", {**revision, "rows": await self._vectors(chunks)})
            if not new:  # the revision is gone
                break
            done, added = done + len(chunks), added + new
            progress(document["filename"], done, document["chunk_count"])
        return added

    async def _vectors(self, chunks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Every window of every chunk."""
        places, pieces = [], []
        for chunk in chunks:
            for part, (start, end) in enumerate(self.engine.windows(chunk["text"])):
                places.append({"chunk_id": chunk["id"], "part": part})
                pieces.append(chunk["text"][start:end])
        vectors = await self.engine.embed(pieces, task="retrieval/document")
        return [{**place, "embedding": vector_text(vector)} for place, vector in zip(places, vectors, strict=True)]
