"""Who reads an answer a second time: the legal engine, or a language model."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from orderly.prompts import prompt
from orderly.services.citations.provisions import Provision
from orderly.services.citations.second_reading import Opinion, Stated, Verdict, Verdicts, definitions_of
from orderly.services.completions import PromptModel
from orderly.services.engines import engine_seconds

THRESHOLD = 0.5
"""Score below which a sentence is marked. Isaacus documents .5 as the least score of a supported statement."""

NO_SCORES = "it gives no scores for this matter."

Score = Callable[[str, str, Sequence[str]], Awaitable[float | None]]
"""Scores (id of the document, statement, texts of provisions); None if the engine gives no such scores."""


@dataclass(frozen=True, slots=True)
class EngineReader:
    """Isaacus' universal classifier scores one statement against several texts, so each sentence costs a request."""

    score: Score
    name: str = "Isaacus"
    seconds: float = 6.0
    most: int = 12

    async def read(self, stated: Sequence[Stated]) -> Verdicts:
        """A low score says that the provisions do not support a span. Only spans that cite a place are scored."""
        citing = [one for one in stated if one.cites]
        texts = [
            [f"{text}\n{p.definitions}".strip() for p, text in zip(one.evidence, one.texts, strict=True)] for one in citing
        ]
        with engine_seconds(self.seconds):
            scores = await asyncio.gather(
                *(self.score(s.evidence[0].document_id, s.sentence, t) for s, t in zip(citing, texts, strict=True))
            )
        if citing and all(score is None for score in scores):
            return Verdicts(failure=NO_SCORES)
        low = [one.at for one, score in zip(citing, scores, strict=True) if score is not None and score < THRESHOLD]
        return Verdicts([Verdict(at, "not in the evidence") for at in low])


@dataclass(frozen=True, slots=True)
class ModelReader:
    """A language model reads the spans of some blocks in one request. Of its reply, verdicts and deciding words are used."""

    model: PromptModel
    seconds: float = 20.0
    most: int = 60

    @property
    def name(self) -> str:
        return self.model.name

    async def read(self, stated: Sequence[Stated]) -> Verdicts:
        reply = await self.model.reply(_prompt(stated))
        against = _against(reply.text, stated)
        failure = UNREADABLE if against is None else ""
        return Verdicts(against or (), failure, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)


def _prompt(stated: Sequence[Stated]) -> str:
    """The spans and, once each, the provisions that they rest on."""
    numbers: dict[tuple[str, int, int], int] = {}
    provisions: list[dict[str, Any]] = []
    spans: list[dict[str, Any]] = []
    for n, one in enumerate(stated, 1):
        for provision, text in zip(one.evidence, one.texts, strict=True):
            key = next((k for k in numbers if _holds(k, provision)), (provision.document_id, provision.start, provision.end))
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                place = ", ".join(filter(None, (provision.document_name, provision.label)))
                provisions.append({"provision": numbers[key], "place": place, "text": text})
        held = (next(k for k in numbers if _holds(k, p)) for p in one.evidence)
        rests = list(dict.fromkeys(numbers[key] for key in held))
        spans.append({"statement": n, "text": one.sentence, "provisions": rests})
    shown = "".join(str(row["text"]) for row in provisions)
    defined = [{"definition": words} for words in definitions_of(stated) if words[:60] not in shown]
    listed = "\n".join(json.dumps(row, ensure_ascii=False) for row in (*provisions, *defined, *spans))
    before, after = prompt("second_reading").replace("$fence", secrets.token_hex(4)).split("$statements")
    return before + listed + after


def _holds(key: tuple[str, int, int], provision: Provision) -> bool:
    """Whether a provision that is given holds another."""
    return key[0] == provision.document_id and key[1] <= provision.start and provision.end <= key[2]


UNREADABLE = "its reply could not be read."
_OPINIONS: dict[str, Opinion] = {"contradicted": "contradicted", "absent": "not in the evidence"}


def _against(reply: str, stated: Sequence[Stated]) -> list[Verdict] | None:
    """The verdicts of a reply; None for a reply in another form."""
    try:
        rows: Any = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])["against"]
        found = [(row["statement"], _OPINIONS[row["verdict"]], str(row.get("words") or "")) for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if not all(type(n) is int and 0 < n <= len(stated) for n, _, _ in found):
        return None
    return [Verdict(stated[n - 1].at, opinion, words) for n, opinion, words in found]
