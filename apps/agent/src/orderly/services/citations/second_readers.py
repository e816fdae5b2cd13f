"""Who reads the sentences of an answer a second time: the legal engine, or a language model."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from orderly.prompts import prompt
from orderly.services.citations.second_reading import Quoted, Stated, Verdicts
from orderly.services.completions import PromptModel
from orderly.services.engines import engine_seconds

THRESHOLD = 0.5
"""Score below which a sentence is marked. Isaacus documents .5 as the least score of a supported statement."""

NO_SCORES = "it gives no scores for this matter."

Score = Callable[[str, str, Sequence[str]], Awaitable[float | None]]
"""Scores (id of the document, statement, quoted texts); None if the engine gives no such scores."""


@dataclass(frozen=True, slots=True)
class EngineReader:
    """Isaacus' universal classifier scores one statement against several texts, so each sentence costs a request."""

    score: Score
    name: str = "Isaacus"
    finding: str = f"Isaacus finds these sentences not supported by their quotations (score below {THRESHOLD}):"
    seconds: float = 3.0
    most: int = 12

    async def read(self, stated: Sequence[Stated]) -> Verdicts:
        with engine_seconds(self.seconds):
            scores = await asyncio.gather(*(self.score(one.document_id, one.sentence, one.quotations) for one in stated))
        if all(score is None for score in scores):
            return Verdicts(failure=NO_SCORES)
        low = ((n, score) for n, score in enumerate(scores) if score is not None and score < THRESHOLD)
        return Verdicts({n: f"[unsupported: score {score:.2f}]" for n, score in low})


@dataclass(frozen=True, slots=True)
class ModelReader:
    """A language model reads the sentences of a paragraph in one request. Its reply is used for their numbers alone."""

    model: PromptModel
    seconds: float = 20.0
    most: int = 40

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def finding(self) -> str:
        return f"{self.name}, reading the answer again, finds these sentences not supported by their quotations:"

    async def read(self, stated: Sequence[Stated]) -> Verdicts:
        reply = await self.model.reply(_prompt(stated))
        named = _numbers(reply.text, len(stated))
        failure = UNREADABLE if named is None else ""
        marks = dict.fromkeys(named or (), "[unsupported]")
        return Verdicts(marks, failure, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)


def _prompt(stated: Sequence[Stated]) -> str:
    listed = [
        {"number": n, "sentence": one.framed, "quotations": [_listed(quoted) for quoted in one.quoted]}
        for n, one in enumerate(stated, 1)
    ]
    before, after = prompt("second_reading").replace("$fence", secrets.token_hex(4)).split("$sentences")
    return before + json.dumps(listed, ensure_ascii=False, indent=0) + after


def _listed(quoted: Quoted) -> dict[str, str]:
    given = {"words": " ".join(quoted.words.split()), "place": quoted.place, "next": quoted.next}
    return {key: text for key, text in given.items() if text}


UNREADABLE = "its reply could not be read."


def _numbers(reply: str, count: int) -> list[int] | None:
    """Indices of the sentences that a reply names; None for a reply in another form."""
    try:
        read: Any = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])
        named = read["unsupported"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(named, list) or not all(type(n) is int and 0 < n <= count for n in named):
        return None
    return [n - 1 for n in named]
