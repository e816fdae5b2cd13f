"""Client for the Isaacus legal AI API (https://docs.isaacus.com). Implements `LegalEngine`."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import httpx
from pydantic import SecretStr

from orderly.errors import EngineRefused
from orderly.services.engines import (
    Answer,
    Classified,
    ClausePresence,
    EmbeddingTask,
    Enriched,
    Extraction,
    Ranked,
    RetryPolicy,
    refuse_blank,
    without_overlaps,
)
from orderly.services.engines.isaacus import (
    clause_queries,
    enriched_documents,
    replies,
    request_limits,
    request_splitting,
)
from orderly.services.engines.isaacus.chunking_options import OMIT, Chunking, chunking_field
from orderly.services.engines.isaacus.classification import Classification
from orderly.services.engines.isaacus.clause_findings import SUPPORTED, merge_passages
from orderly.services.engines.isaacus.connection import Connection, Json, Observer, Usage, gather_calls
from orderly.services.engines.isaacus.error_translation import RequestTooLarge
from orderly.services.engines.isaacus.model_names import STANDARD, Models
from orderly.services.engines.isaacus.request_limiter import RequestLimiter

CONTRACT_SAMPLE = 10_000
"""Leading characters that `is_contract` reads."""


class IsaacusClient:
    """Holds one connection pool, `client`, until `close`.

    `api_key` is a SecretStr, so that `repr` and logs hide it; `api_key.get_secret_value()` gives the key, which is sent only in
    the Authorization header.
    """

    name = "isaacus"
    offline = False
    description = "Isaacus (Kanon models)"

    def __init__(  # noqa: PLR0913  # three from spec 001; the others serve tests and private deployments
        self,
        api_key: str,
        base_url: str = "https://api.isaacus.com",
        max_retries: int = 3,
        *,
        models: Models = STANDARD,
        timeout: float = 30.0,
        limiter: RequestLimiter | None = None,
        observer: Observer | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`timeout`: seconds per attempt. `limiter`: shared by the clients of one account. `observer` receives every call.

        Retries use `sleep`, `jitter` and `now` (Unix time).
        """
        self.api_key = SecretStr(request_limits.check_key(api_key))
        self.base_url = request_limits.check_base_url(base_url)
        self.max_retries = max_retries
        self._models = models
        self.client = httpx.AsyncClient(
            base_url=f"{self.base_url}/v1",
            headers={"Authorization": f"Bearer {self.api_key.get_secret_value()}", "Accept": "application/json"},
            timeout=httpx.Timeout(timeout, connect=min(5.0, timeout)),
            transport=transport,
        )
        policy = RetryPolicy(max_retries, jitter=jitter, now=now)
        self._connection = Connection(self.client, policy, limiter=limiter or RequestLimiter(8), sleep=sleep, observer=observer)
        self._classification = Classification(self._connection)

    @property
    def embedding_model(self) -> str:
        return self._models.vectors

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Requests and tokens by endpoint, e.g. "/embeddings", since construction."""
        return self._connection.usage

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Spans limited by UTF-8 bytes, since Kanon's tokenizer is not available."""
        return request_limits.windows(text)

    async def embed(
        self, texts: Sequence[str], model: str | None = None, *, task: EmbeddingTask = "retrieval/document"
    ) -> list[list[float]]:
        """One vector per text. Raises EngineRefused for a text longer than the window."""
        refuse_blank(*texts)
        batches = [list(texts[i : i + request_limits.MAX_TEXTS]) for i in range(0, len(texts), request_limits.MAX_TEXTS)]
        parts = await gather_calls(self._embed_batch(batch, model or self._models.embedder, task) for batch in batches)
        return [vector for part in parts for vector in part]

    async def _embed_batch(self, texts: list[str], model: str, task: EmbeddingTask) -> list[list[float]]:
        body: dict[str, object] = {"model": model, "texts": texts, "task": task, "overflow_strategy": None}
        if self._models.dimensions is not None:
            body["dimensions"] = self._models.dimensions
        try:
            reply = await self._connection.post("/embeddings", body)
        except RequestTooLarge:
            if len(texts) == 1:
                raise
            half = len(texts) // 2
            first = await self._embed_batch(texts[:half], model, task)
            return first + await self._embed_batch(texts[half:], model, task)
        return replies.parse_embeddings(reply, len(texts))

    async def expand(self, query: str) -> str:
        """Returns "": the Kanon models need no query expansion."""
        return ""

    async def subjects(self, question: str) -> list[tuple[str, float]]:
        """Returns none: the Kanon models answer questions without a lexicon of subjects."""
        return []

    async def presence(self, subject: str, text: str) -> ClausePresence | None:
        """Returns None: presence follows from the score of the extracted answer."""
        return None

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        model: str | None = None,
        *,
        similarities: Sequence[float | None] | None = None,
        chunking_options: Chunking = OMIT,
    ) -> list[Ranked]:
        """Relevance 0..1 of every document, best first; ties keep the given order. `similarities` are not used."""
        request_limits.check_query(query)
        refuse_blank(*documents)
        if not documents:
            return []
        body = {"model": model or self._models.reranker, "query": query, "top_n": None, "is_iql": False}
        ranked = await self._rerank_batch({**body, **chunking_field(chunking_options)}, list(documents))
        return sorted(ranked, key=lambda item: (-item["score"], item["index"]))

    async def _rerank_batch(self, body: Json, documents: list[str]) -> list[Ranked]:
        try:
            reply = await self._connection.post("/rerankings", {**body, "texts": documents})
        except RequestTooLarge:
            if len(documents) == 1:
                raise
            # A score depends only on the query and the document, so the halves' scores are comparable.
            half = len(documents) // 2
            first = await self._rerank_batch(body, documents[:half])
            second = await self._rerank_batch(body, documents[half:])
            return first + [Ranked(index=item["index"] + half, score=item["score"]) for item in second]
        return replies.parse_rankings(reply, len(documents))

    async def extract(
        self,
        question: str,
        context: str,
        model: str | None = None,
        *,
        top_k: int = 3,
        quick: bool = False,
        chunking_options: Chunking = OMIT,
    ) -> Extraction:
        """The best span alone is the answer. Scores are small and comparable only with each other. `quick` changes nothing."""
        request_limits.check_query(question)
        refuse_blank(context)
        if top_k < 1:
            raise EngineRefused("At least one answer has to be asked for.")
        body = {
            "model": model or self._models.extractor,
            "query": question,
            "top_k": top_k,
            "ignore_inextractability": True,
            **chunking_field(chunking_options),
        }
        found = await self._extract_text(body, context)
        answers = without_overlaps(found.answers)[:top_k]
        best = answers[0]["score"] if answers else 0.0
        answering = answers[:1] if best > found.inextractability_score else []
        return Extraction(
            answers=answers,
            answered=bool(answering),
            answering=answering,
            further=_further(answers, answering, found.inextractability_score),
            confidence=best,
            inextractability_score=found.inextractability_score,
        )

    async def _extract_text(self, body: Json, context: str) -> replies.Extracted:
        try:
            reply = await self._connection.post("/extractions/qa", {**body, "texts": [context]})
        except RequestTooLarge:
            if (cut := request_splitting.split_point(context)) is None:
                raise
            first, second = await gather_calls(self._extract_text(body, part) for part in (context[:cut], context[cut:]))
            return request_splitting.join_answers(first, second, cut)
        return replies.parse_extraction(reply, context)

    async def classify(
        self,
        text: str,
        labels: Sequence[str],
        model: str | None = None,
        *,
        sections: Sequence[tuple[int, int, str]] = (),
        chunking_options: Chunking = OMIT,
    ) -> list[Classified]:
        """Sends one request per label, concurrently, and a second one where a supported chunk holds several clauses."""
        refuse_blank(text, *labels)
        shared = {"model": model or self._models.classifier, **chunking_field(chunking_options)}
        queries = [{**shared, "query": query, "is_iql": iql} for query, iql in map(clause_queries.query_for, labels)]
        results = await gather_calls(self._classification.find_clauses(query, text, sections) for query in queries)
        return [
            finding
            for label, passages in zip(labels, results, strict=True)
            for finding in merge_passages(label, passages, sections)
        ]

    async def support(self, statement: str, texts: Sequence[str]) -> float | None:
        """Score of the best text. The statement is the query, never IQL."""
        refuse_blank(*texts)
        request_limits.check_query(statement)
        body = {"model": self._models.classifier, "query": statement, "is_iql": False}
        return max(await self._classification.scores(body, texts))

    async def is_contract(self, text: str) -> bool:
        """Classifies the first `CONTRACT_SAMPLE` characters."""
        sample = text.strip()[:CONTRACT_SAMPLE]
        refuse_blank(sample)
        body = {"model": self._models.classifier, "query": clause_queries.CONTRACT_STATEMENT, "is_iql": False}
        score, _ = await self._classification.classify_text(body, sample)
        return score > SUPPORTED

    @property
    def enriching_model(self) -> str:
        return self._models.enricher

    async def enrich(self, texts: Sequence[str]) -> list[Enriched]:
        """Structure, defined terms and type of whole documents. Isaacus splits texts longer than the model's window."""
        refuse_blank(*texts)
        batches = [
            list(texts[i : i + enriched_documents.MAX_TEXTS]) for i in range(0, len(texts), enriched_documents.MAX_TEXTS)
        ]
        return [found for part in await gather_calls(map(self._enrich_batch, batches)) for found in part]

    async def _enrich_batch(self, texts: list[str]) -> list[Enriched]:
        body = {"model": self._models.enricher, "texts": texts, "overflow_strategy": "auto"}
        try:
            reply = await self._connection.post("/enrichments", body)
        except RequestTooLarge:
            if len(texts) > 1:
                half = len(texts) // 2
                return await self._enrich_batch(texts[:half]) + await self._enrich_batch(texts[half:])
            if (cut := request_splitting.split_point(texts[0])) is None:
                raise
            [first], [second] = await gather_calls(self._enrich_batch([part]) for part in (texts[0][:cut], texts[0][cut:]))
            return [enriched_documents.join(first, second, cut)]
        return enriched_documents.parse(reply, texts)

    async def close(self) -> None:
        await self._connection.close()


def _further(answers: Sequence[Answer], answering: Sequence[Answer], inextractability: float) -> list[Answer]:
    """Spans whose score is at least half of the deciding one: of the best answer's, or of the inextractability score.

    Beside an answer, a span must also beat the inextractability score.
    """
    if answering:
        least = answering[0]["score"] / 2
        return [a for a in answers[1:] if a["score"] >= least and a["score"] > inextractability]
    return [a for a in answers if a["score"] >= inextractability / 2]
