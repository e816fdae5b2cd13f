"""The offline engine: needs no API key and no network. Implements `LegalEngine`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import copy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from orderly.errors import EngineRefused
from orderly.services.engines import Classified, ClausePresence, EmbeddingTask, Extraction, Ranked, refuse_blank
from orderly.services.engines.local import contract_detection
from orderly.services.engines.local.model_files import NAME
from orderly.services.engines.local.model_loader import ModelLoader
from orderly.services.engines.local.presence_types import PresenceReading, presence_types

if TYPE_CHECKING:
    from orderly.services.engines.local.linear_models import LinearModel

# Modules that import numpy and onnxruntime are imported on use: they take 0.3 s, which commands without engine calls avoid.

T = TypeVar("T")

THREADS = 16
"""Of calculations. Users' slots bound what one user has under way, so none waits long for a thread."""


class LocalEngine:
    """The first call loads the model in about half a second.

    Calls raise Misconfigured if a file of the model is missing or its checksum differs.
    """

    name = "local"
    offline = True
    description = f"Offline engine ({NAME})"
    embedding_model = NAME

    def __init__(self, *, threads: int = 2) -> None:
        self._loader = ModelLoader(threads)
        self._weights: Path | None = None

    def with_weights(self, folder: Path) -> LocalEngine:
        """A copy that shares the loaded model and uses the fitted weights of `folder` instead of the packaged weights."""
        sibling = copy(self)
        sibling._weights = folder
        return sibling

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Blocks while the first call loads the model: run it in a thread."""
        return self._loader.meaning.model.windows(text)

    async def embed(self, texts: Sequence[str], *, task: EmbeddingTask = "retrieval/document") -> list[list[float]]:
        """The model embeds queries and passages alike."""
        refuse_blank(*texts)

        def work() -> list[list[float]]:
            return [[float(x) for x in vector] for vector in self._loader.meaning.model.embed(texts)]

        return await self._run(work)

    async def expand(self, query: str) -> str:
        refuse_blank(query)

        def work() -> str:
            from orderly.services.engines.local import concepts  # noqa: PLC0415

            return concepts.wording(self._loader.finder.find(query))

        return await self._run(work)

    async def rerank(
        self, query: str, documents: Sequence[str], *, similarities: Sequence[float | None] | None = None
    ) -> list[Ranked]:
        refuse_blank(query)

        def work() -> list[Ranked]:
            from orderly.services.engines.local import reranking  # noqa: PLC0415

            cosines = self._cosines(query, documents, similarities or [None] * len(documents))
            return reranking.rerank(query, documents, cosines, self._loader, self._recogniser)

        return await self._run(work)

    def _cosines(self, query: str, documents: Sequence[str], known: Sequence[float | None]) -> list[float]:
        """Cosines of query and documents; embeds the documents whose cosine is not known."""
        lacking = [document for document, cosine in zip(documents, known, strict=True) if cosine is None]
        if not lacking:
            return [cosine for cosine in known if cosine is not None]
        vectors = self._loader.meaning.embed([query, *lacking])
        found = iter((vectors[1:] @ vectors[0]).tolist())
        return [next(found) if cosine is None else cosine for cosine in known]

    async def extract(self, question: str, context: str, *, top_k: int = 3, quick: bool = False) -> Extraction:
        refuse_blank(question, context)
        if top_k < 1:
            raise EngineRefused("At least one answer has to be asked for.")

        def work() -> Extraction:
            from orderly.services.engines.local import extraction, extraction_weights, general_answers  # noqa: PLC0415

            asked = extraction.question_about(question, context, self._loader)
            if not asked.is_general:
                extractor = extraction.Extractor(self._loader, self._recogniser, extraction_weights.load(self._weights))
                return extractor.extract(asked, context, top_k, quick=quick)
            effort = general_answers.QUICK if quick else general_answers.THOROUGH
            reader, embed = self._loader.reader, self._loader.meaning.embed
            return general_answers.extract(question, context, top_k, reader, embed, effort)

        return await self._run(work)

    async def classify(
        self, text: str, labels: Sequence[str], *, sections: Sequence[tuple[int, int, str]] = ()
    ) -> list[Classified]:
        refuse_blank(text, *labels)

        def work() -> list[Classified]:
            from orderly.services.engines.local import classification, linear_models  # noqa: PLC0415

            model = linear_models.load("clause_weights.json", self._weights)
            return classification.classify(text, labels, sections, self._loader.finder, self._loader.meaning.embed, model)

        return await self._run(work)

    @property
    def _recogniser(self) -> LinearModel:
        from orderly.services.engines.local import linear_models  # noqa: PLC0415

        return linear_models.load("concept_weights.json", self._weights)

    async def subjects(self, question: str) -> list[tuple[str, float]]:
        refuse_blank(question)

        def work() -> list[tuple[str, float]]:
            from orderly.services.engines.local import question_subjects  # noqa: PLC0415

            return question_subjects.load().find(question, self._loader.meaning.embed)

        return await self._run(work)

    async def support(self, statement: str, texts: Sequence[str]) -> float | None:
        """Returns None: the reader's support is too weak to mark a sentence by itself (docs/quality.md)."""
        return None

    async def presence(self, subject: str, text: str) -> ClausePresence | None:
        if subject not in presence_types() or not text.strip():
            return None

        def work() -> ClausePresence:
            from orderly.services.engines.local.presence import read_cached  # noqa: PLC0415

            found, threshold = read_cached(text, self._weights).judge(subject)
            return ClausePresence(
                probability=found.probability,
                threshold=threshold,
                start=found.start,
                end=found.end,
                further=list(found.further),
            )

        return await self._run(work)

    async def is_contract(self, text: str) -> bool:
        return await self._run(lambda: contract_detection.looks_like_contract(text))

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(_threads(), copy_context().run, work)

    async def close(self) -> None:
        """Does nothing: the engine holds no open resources."""


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads of their own, so that reading and writing files never waits for calculations."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="engine")


def read_presence(text: str, weights: Path | None = None) -> PresenceReading:
    """Reads a text once for all types. Blocks. `weights`: folder with fitted weights; None: those of the package."""
    # numpy takes 0.1 s to import, which commands without engine calls avoid.
    from orderly.services.engines.local.presence import PresenceReader  # noqa: PLC0415

    return PresenceReader(text, weights)
