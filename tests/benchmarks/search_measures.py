"""Measurements of the search benchmark in the matters of one size, printed as a table."""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from search_bare import CODED, EXACT, WORDS, rows
from search_fill import Filled

from orderly.models import Caller
from orderly.services.engines.local import LocalEngine
from orderly.services.engines.protocol import Ranked
from orderly.services.library import Library
from orderly.services.search import vector_text
from orderly.store.base import Store
from orderly.store.postgres import Pool

SHOWN, CANDIDATES = 20, 50
TARGETS_MS = (5_000, 60.0), (100_000, 150.0)
"""Most passages of a matter, 95th percentile of its searches of vectors and words."""
RECALL = 0.99
QUESTIONS = (
    "Which law governs the agreement?",
    "What notice must be given to terminate for convenience?",
    "Is there a cap on liability, and what is excluded from it?",
    "Who owns the intellectual property created under the agreement?",
    "May a party assign its rights without consent?",
    "What happens on a change of control?",
    "How long does the duty of confidentiality last?",
    "What insurance has to be held?",
    "May the books be audited?",
    "When does the term renew by itself?",
    "Is the licence exclusive, and for which territory?",
    "What is the minimum purchase commitment?",
    "Which warranties are disclaimed?",
    "Who indemnifies whom against claims of third parties?",
    "What is payable on late payment?",
    "Where are disputes to be settled?",
    "insolvency or bankruptcy of the distributor",
    "What may be done with personal data?",
    "Is there a covenant not to compete after termination?",
    "force majeure",
    "How may prices be increased?",
    "Which services levels are promised for maintenance?",
    "Who bears the cost of shipping and risk of loss?",
    "Are subcontractors allowed?",
)


class CachingEngine:
    """The offline engine with a cache, so that the other parts of a search can be timed alone."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self._known: dict[tuple[Any, ...], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def _once(self, key: tuple[Any, ...], ask: Callable[[], Awaitable[Any]]) -> Any:
        if key not in self._known:
            self._known[key] = await ask()
        return self._known[key]

    async def embed(self, texts: Sequence[str], **task: Any) -> list[list[float]]:
        return await self._once(("embed", *texts), lambda: self._engine.embed(texts, **task))

    async def expand(self, query: str) -> str:
        return await self._once(("expand", query), lambda: self._engine.expand(query))

    async def rerank(self, query: str, documents: Sequence[str], **known: Any) -> list[Ranked]:
        return await self._once(("rerank", query, *documents), lambda: self._engine.rerank(query, documents, **known))


def percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def tell(what: str, times: Sequence[float], more: str = "") -> float:
    """Returns the 95th percentile in milliseconds."""
    median, late = statistics.median(times) * 1000, percentile(times, 0.95) * 1000
    sys.stdout.write(f"  {what:46} p50 {median:7.1f} ms   p95 {late:7.1f} ms   {more}\n")
    sys.stdout.flush()
    return late


def recall(found: dict[str, float], true: dict[str, float]) -> float:
    """Returns the recall; passages that tie for the last place count as equal."""
    if not true:
        return 1.0
    last = list(true.values())[-1]
    return sum(id in true or abs(score - last) < 1e-9 for id, score in found.items()) / len(true)


class Bench:
    def __init__(self, store: Store, library: Library, engine: CachingEngine, made: Filled, unchecked: Pool) -> None:
        self._store, self._library, self._engine, self._made, self._unchecked = store, library, engine, made, unchecked
        self._caller = Caller(made.user_id)
        self.missed: list[str] = []
        """What missed its target."""

    async def _timed(self, function: str, **params: Any) -> tuple[float, Any]:
        started = time.perf_counter()
        result = await self._store.rpc(self._caller, function, params)
        return time.perf_counter() - started, result

    async def _bare(self, query: str, **values: Any) -> tuple[float, dict[str, float]]:
        """Returns seconds, and scores by passage, best first."""
        started = time.perf_counter()
        found = await rows(self._unchecked, query, **values)
        return time.perf_counter() - started, {str(row[0]): row[-1] for row in found}

    async def embedding(self) -> None:
        times = []
        for question in QUESTIONS:
            started = time.perf_counter()
            await self._engine._engine.embed([question], task="retrieval/query")
            times.append(time.perf_counter() - started)
        tell("embedding a question", times)

    async def of_kind(self, kind: str, passages: int, limit: int) -> None:
        matters = self._made.matters[kind][:limit]
        pairs = [(matters[n % len(matters)], question) for n, question in enumerate(QUESTIONS)]
        sys.stdout.write(f"{kind}: {passages:,} passages in a matter, {len(pairs)} questions to {len(matters)} matters\n")
        vectors, found = await self._vectors(pairs, coded=passages > 20_000)
        words = await self._words(pairs, passages)
        most = next((ms for size, ms in TARGETS_MS if passages <= size), None)
        if found < RECALL or (most is not None and max(vectors, words) > most):
            self.missed.append(kind)
        await self._whole(pairs)

    async def _vectors(self, pairs: Sequence[tuple[str, str]], *, coded: bool) -> tuple[float, float]:
        """Returns the 95th percentile in milliseconds, and the recall."""
        ours, bare, ratios, recalls = [], [], [], []
        for matter, question in pairs:
            [vector] = await self._engine.embed([question], task="retrieval/query")
            asked = {"vector": vector_text(vector), "model": self._engine.embedding_model, "matter": matter, "count": SHOWN}
            params = {"matter_id": matter, "query_embedding": asked["vector"], "model": asked["model"], "match_count": SHOWN}
            await self._timed("match_document_embeddings", **params)
            took, found = await self._timed("match_document_embeddings", **params)
            _, true = await self._bare(EXACT, **asked)
            plan = {**asked, "candidates": 4_000} if coded else asked
            plain, _ = await self._bare(CODED if coded else EXACT, **plan)
            ours.append(took)
            bare.append(plain)
            ratios.append(took / plain)
            recalls.append(recall({hit["chunk_id"]: 1 - hit["similarity"] for hit in found}, true))
        more = f"recall@{SHOWN} {statistics.mean(recalls):.4f} (least {min(recalls):.2f})"
        late = tell("match_document_embeddings", ours, f"{statistics.median(ratios):.2f} of the bare SQL   {more}")
        tell("  bare SQL of the same plan", bare)
        return late, statistics.mean(recalls)

    async def _words(self, pairs: Sequence[tuple[str, str]], passages: int) -> float:
        ours, bare, ratios, recalls = [], [], [], []
        for matter, question in pairs:
            expanded = await self._engine.expand(question)
            for text in filter(None, (question, expanded)):
                params = {"matter_id": matter, "query": text, "match_count": SHOWN}
                await self._timed("search_chunks", **params)
                took, found = await self._timed("search_chunks", **params)
                asked = {"matter": matter, "words": text, "count": SHOWN, "total": passages}
                await self._bare(WORDS, **asked)
                plain, true = await self._bare(WORDS, **asked)
                ours.append(took)
                bare.append(plain)
                ratios.append(took / plain)
                recalls.append(recall({hit["chunk_id"]: -hit["rank"] for hit in found}, true))
        more = f"same {SHOWN} as with every word counted: {statistics.mean(recalls):.4f}"
        late = tell("search_chunks", ours, f"{statistics.median(ratios):.2f} of the bare SQL   {more}")
        tell("  bare SQL, every word counted", bare)
        return late

    async def _whole(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Measures complete searches; every third query names a party, which restricts it to that party's documents."""
        whole, store, parts = [], [], {"searched_documents": [], "named_documents": []}
        for (matter, question), third in zip(pairs, itertools.cycle((True, False, False)), strict=False):
            name = self._made.parties[matter][0]
            query = f"{question[:-1]} of {name}?" if third else question
            for times in (whole, store):
                started = time.perf_counter()
                await self._library.search(self._caller, matter, query, 10)
                times.append(time.perf_counter() - started)
            parts["searched_documents"].append((await self._timed("searched_documents", matter_id=matter))[0])
            named = {"matter_id": matter, "words": f"Agreement Services {name}", "match_count": 5}
            parts["named_documents"].append((await self._timed("named_documents", **named))[0])
        tell("whole search, with the offline engine", whole)
        tell("whole search, the engine's answers known", store)
        for function, times in parts.items():
            tell(f"  {function}", times)
