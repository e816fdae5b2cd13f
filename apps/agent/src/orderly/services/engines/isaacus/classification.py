"""Classifies texts against one statement: whole texts, their chunks, and the clauses of a chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderly.services.engines.isaacus import clause_places, replies, request_limits, request_splitting
from orderly.services.engines.isaacus.clause_findings import SUPPORTED
from orderly.services.engines.isaacus.connection import Connection, Json, gather_calls
from orderly.services.engines.isaacus.error_translation import RequestTooLarge

PATH = "/classifications/universal"


@dataclass(frozen=True)
class Classification:
    """`body` of its methods: model and statement of the requests. A text that is too large for one request is divided."""

    connection: Connection

    async def find_clauses(self, body: Json, text: str, sections: Sequence[tuple[int, int, str]]) -> list[replies.Passage]:
        """Passages in text order. A chunk may hold several clauses, so each clause of a supported chunk is classified too."""
        _, chunks = await self.classify_text(body, text)
        divided = {chunk: clause_places.divide(text, chunk, sections) for chunk in chunks if chunk.score > SUPPORTED}
        spans = list(dict.fromkeys(span for parts in divided.values() if len(parts) > 1 for span in parts))
        scores = dict(zip(spans, await self.scores(body, [text[a:b] for a, b in spans]), strict=True))
        found = []
        for chunk in chunks:
            parts = [replies.Passage(*span, scores[span]) for span in divided.get(chunk, ()) if span in scores]
            found += clause_places.choose(chunk, parts, SUPPORTED) if parts else [chunk]
        return found

    async def scores(self, body: Json, texts: Sequence[str]) -> list[float]:
        """Score of each text by itself."""
        if not texts:
            return []
        try:
            reply = await self.connection.post(PATH, {**body, "texts": list(texts)})
        except RequestTooLarge:
            if len(texts) == 1:
                raise
            half = len(texts) // 2
            return await self.scores(body, texts[:half]) + await self.scores(body, texts[half:])
        return replies.parse_classification_scores(reply, len(texts))

    async def classify_text(self, body: Json, text: str) -> tuple[float, list[replies.Passage]]:
        """Score of the whole text, and passages in text order."""
        request_limits.check_query(str(body["query"]))
        try:
            reply = await self.connection.post(PATH, {**body, "texts": [text]})
        except RequestTooLarge:
            if (cut := request_splitting.split_point(text)) is None:
                raise
            first, second = await gather_calls(self.classify_text(body, part) for part in (text[:cut], text[cut:]))
            return request_splitting.join_passages(first, second, cut)
        return replies.parse_classification(reply, text)
