"""A second opinion, after the rules, on what an answer says of documents: each span with the provisions that it rests on.

Blocks are read while the next are written. The text is not held up: verdicts stand beside it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from orderly.errors import EngineFailed, ModelFailed
from orderly.services.citations.evidence import Judged
from orderly.services.citations.provisions import LONGEST, Provision
from orderly.services.support import content_stems
from orderly.services.text import find_occurrences

PATIENCE = 8.0
"""Seconds after the end of an answer, in which verdicts are waited for."""
LEAST_CHARACTERS = 8_000
"""Characters of spans and provisions below which a request waits for more: each repeats instructions and provisions."""
LEAST_TOKENS = 2_500
SHARE = 0.2
"""Tokens that the second reading may take: of an answer, and as a share of those of its run; the greater counts."""
_PER_TOKEN = 4
_INSTRUCTIONS = 450
"""Tokens of instructions in each request."""
_SHORTENED = 600
"""Characters of a provision where whole ones would take too many tokens."""
_LEAST_WORDS = 3
_MOST_OWN, _MOST_OTHERS = 4, 2
"""Provisions of a span: those that it cites; else, beside the nearest ones read, those of its row, item or block."""
_LONGEST_SPAN = 2_500

FAILED = "{reader} could not check {count} of {all} statements: {reason}"
NOT_ALL = "{reader} checked {read} of {all} statements, the first ones."
LATE = "it had not replied when the answer ended."

_SENTENCE_END = re.compile(r"[.;:]\s+")

Opinion = Literal["contradicted", "not in the evidence"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A span of an answer with the provisions that it rests on."""

    at: int
    """Offset of the span, by which its verdict is joined."""
    sentence: str
    evidence: Sequence[Provision]
    cites: bool
    """Whether the span itself names a place for what it says."""
    longest: int = LONGEST

    @property
    def texts(self) -> list[str]:
        return [given_text(p, self.longest, self.sentence) for p in self.evidence]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reader says against a span."""

    at: int
    opinion: Opinion
    words: str = ""
    """The deciding words of the evidence."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    against: Sequence[Verdict] = ()
    """Spans that are supported are left out."""
    failure: str = ""
    """Why the spans could not be read; empty if they were."""
    input_tokens: int = 0
    output_tokens: int = 0


@runtime_checkable  # pydantic checks the fields of a gate that a chat model holds
class SecondReader(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def seconds(self) -> float:
        """Time limit for one request."""
        ...

    @property
    def most(self) -> int:
        """Spans of one answer that it reads: the first ones."""
        ...

    async def read(self, stated: Sequence[Stated]) -> Verdicts:
        """Reads spans of one answer.

        Raises:
            EngineFailed: The legal engine failed.
            ModelFailed: The language model failed.
        """
        ...


@dataclass(slots=True)
class SecondReading:
    """Follows one answer. Stateful."""

    reader: SecondReader
    run_tokens: int = 0
    """Tokens that the run has taken before this answer."""
    patience: float = PATIENCE
    input_tokens: int = 0
    output_tokens: int = 0
    """Of all requests so far."""
    _stated: list[Stated] = field(default_factory=list)
    _given: int = 0
    """Spans that were given to the reader."""
    _spent: int = 0
    """Estimated tokens of the requests."""
    _tasks: list[tuple[Sequence[Stated], asyncio.Task[Verdicts]]] = field(default_factory=list)

    def add(self, spans: Sequence[Judged]) -> None:
        """Notes the spans that say something, with the provisions that they rest on."""
        known = {one.at for one in self._stated}
        for one in spans:
            cites = any(b.provisions for b in one.bounds)
            if one.span.start in known or len(one.own.split()) < _LEAST_WORDS or not (one.evidence or one.near):
                continue
            sentence = " ".join(one.said.split())[:_LONGEST_SPAN]
            stems = content_stems(sentence)
            others = sorted((p for p in one.evidence if p not in one.near), key=lambda p: -len(stems & p.stems))
            evidence = one.evidence[:_MOST_OWN] if cites else [*one.near, *others[:_MOST_OTHERS]]
            self._stated.append(Stated(one.span.start, sentence, evidence, cites))

    def start_if_worth(self) -> None:
        """Gives the reader what was noted, if it is worth a request. Must be called in the event loop."""
        if _characters(self._stated[self._given :]) >= LEAST_CHARACTERS:
            self._start()

    async def join(self, judged: Sequence[Judged]) -> list[str]:
        """Waits for the verdicts and gives them to the spans. Returns what is told of the reading itself."""
        self._start()
        if self._tasks:
            await asyncio.wait([task for _, task in self._tasks], timeout=self.patience)
        by_start = {one.span.start: one for one in judged}
        unread: dict[str, int] = {}
        for stated, task in self._tasks:
            verdicts = task.result() if task.done() and not task.cancelled() else Verdicts(failure=LATE)
            if verdicts.failure:
                unread[verdicts.failure] = unread.get(verdicts.failure, 0) + len(stated)
            for verdict in verdicts.against:
                one = next((s for s in stated if s.at == verdict.at), None)
                if one is not None and verdict.at in by_start:
                    self._tell(by_start[verdict.at], one, verdict, [p for s in stated for p in s.evidence])
        self.stop()
        return list(self._notes(unread))

    def stop(self) -> None:
        """Ends requests of an answer that is given up."""
        for _, task in self._tasks:
            task.cancel()

    def _tell(self, judged: Judged, stated: Stated, verdict: Verdict, given: Sequence[Provision]) -> None:
        if judged.verdict in ("contradicted", "not found"):
            return
        place = ", ".join(dict.fromkeys(p.place for p in stated.evidence[:2]))
        if verdict.opinion == "not in the evidence":
            judged.verdict, judged.place = "not found", place
            judged.reason = f"{self.reader.name}, reading it again, does not find this in {place}."
            return
        words = " ".join(verdict.words.split()).strip(" “”\"'")
        sources = (p for p in (*stated.evidence, *given) if words and next(iter(find_occurrences(words, p.all)), None))
        source = next(sources, None)
        if source is None:
            return  # deciding words that stand nowhere decide nothing
        judged.verdict, judged.place = "contradicted", source.place
        judged.reason = f"{self.reader.name}, reading it again: {source.place} says “{words}”."

    def _start(self) -> None:
        stated = self._affordable(self._stated[self._given : self.reader.most])
        if stated:
            self._given += len(stated)
            self._tasks.append((stated, asyncio.create_task(self._read(stated))))

    def _affordable(self, stated: Sequence[Stated]) -> list[Stated]:
        """The spans that the allowance covers, with shortened provisions where whole ones are too long."""
        left = max(LEAST_TOKENS, int(SHARE * self.run_tokens)) - self._spent - _INSTRUCTIONS
        for longest in (LONGEST, _SHORTENED):
            cut = [Stated(s.at, s.sentence, s.evidence, s.cites, longest) for s in stated]
            if _characters(cut) / _PER_TOKEN <= left:
                break
        while cut and _characters(cut) / _PER_TOKEN > left:
            cut.pop()
        self._spent += (_INSTRUCTIONS + _characters(cut) // _PER_TOKEN) if cut else 0
        return cut

    async def _read(self, stated: Sequence[Stated]) -> Verdicts:
        try:
            async with asyncio.timeout(self.reader.seconds):
                verdicts = await self.reader.read(stated)
        except TimeoutError:
            return Verdicts(failure=f"no reply in {self.reader.seconds:g} seconds.")
        except (EngineFailed, ModelFailed) as failure:
            return Verdicts(failure=failure.message)
        self.input_tokens += verdicts.input_tokens
        self.output_tokens += verdicts.output_tokens
        return verdicts

    def _notes(self, unread: dict[str, int]) -> Iterator[str]:
        for reason, count in unread.items():
            yield FAILED.format(reader=self.reader.name, count=count, all=len(self._stated), reason=reason)
        read = self._given - sum(unread.values())
        if 0 < read < self._given or (not unread and self._given < len(self._stated)):
            yield NOT_ALL.format(reader=self.reader.name, read=read, all=len(self._stated))


def given_text(provision: Provision, longest: int, sentence: str) -> str:
    """A provision as the reader gets it, around the words of the sentence where it is shortened."""
    text = provision.text
    if len(text) > longest:
        stems = content_stems(sentence)
        starts = [0, *(m.end() for m in _SENTENCE_END.finditer(text, 0, len(text) - longest // 2))]
        start = max(starts, key=lambda at: (len(stems & content_stems(text[at : at + longest])), -at))
        text = f"{'… ' if start else ''}{text[start : start + longest]} …"
    return text.strip()


def _characters(stated: Sequence[Stated]) -> int:
    provisions = {
        (p.document_id, p.start, p.end): len(text) for s in stated for p, text in zip(s.evidence, s.texts, strict=True)
    }
    defined = sum(map(len, definitions_of(stated)))
    return sum(provisions.values()) + defined + sum(len(s.sentence) + 30 for s in stated)


def definitions_of(stated: Sequence[Stated]) -> list[str]:
    """The definitions that the provisions of spans use, once each."""
    return list(dict.fromkeys(one for s in stated for p in s.evidence for one in p.definitions.split("\n") if one))
