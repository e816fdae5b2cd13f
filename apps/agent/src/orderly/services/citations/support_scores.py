"""The legal engine's score of whether quotations support the sentences that stand with them. A second opinion, after the rules.

Isaacus' universal classifier scores one statement against several texts in a request, so each sentence costs a request. All are
sent at once, when the answer has ended: the text is not held up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from orderly.errors import EngineFailed, OrderlyError
from orderly.services.claims import Evidence
from orderly.services.engines import engine_seconds

THRESHOLD = 0.5
"""Score below which a sentence is marked. Isaacus documents .5 as the least score of a supported statement."""
MAX_SENTENCES = 12
"""Sentences of one answer that are scored: the first ones."""
SECONDS = 3.0
"""Time for all of them together."""
_MAX_WORDS = 1_500
"""Characters of the longest sentence that is scored."""

LOW = f"Isaacus finds these sentences not supported by their quotations (score below {THRESHOLD}):"
FAILED = "Isaacus could not check whether the quotations support the sentences: {reason}"
NOT_ALL = "Isaacus scored the first {scored} of {count} sentences with a quotation."

Score = Callable[[str, str, Sequence[str]], Awaitable[float | None]]
"""Scores (id of the document, statement, quoted texts); None if the engine gives no such scores."""


@dataclass(slots=True)
class SupportScores:
    score: Score
    _stated: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)

    def add(self, statement: str, evidence: Sequence[Evidence]) -> None:
        """Notes a sentence that the rules find supported."""
        documents = [e.document_id for e in evidence if e.document_id]
        plain = " ".join(statement.split()).strip(" :;,.–—-()")
        if documents and plain and len(plain) <= _MAX_WORDS:
            self._stated.append((documents[0], f"{plain}.", tuple(e.text for e in evidence)))

    async def note(self) -> str:
        """What to add to the answer: the sentences below the threshold, or why they were not scored."""
        stated, count = self._stated[:MAX_SENTENCES], len(self._stated)
        if not stated:
            return ""
        try:
            with engine_seconds(SECONDS):
                async with asyncio.timeout(SECONDS):
                    scores = await asyncio.gather(*(self.score(*one) for one in stated))
        except (EngineFailed, TimeoutError) as failure:
            reason = failure.message if isinstance(failure, OrderlyError) else f"no reply in {SECONDS:g} seconds."
            return "\n\n" + FAILED.format(reason=reason)
        low = [
            f"- {statement.removesuffix('.')} [unsupported: score {score:.2f}]"
            for (_, statement, _), score in zip(stated, scores, strict=True)
            if score is not None and score < THRESHOLD
        ]
        lines = [LOW, *low] if low else []
        if count > len(stated) and any(score is not None for score in scores):
            lines += [*([""] if low else []), NOT_ALL.format(scored=len(stated), count=count)]
        return "\n".join(["", "", *lines]) if lines else ""
