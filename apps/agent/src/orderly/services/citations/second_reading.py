"""A second opinion, after the rules, on whether quotations support the sentences that stand with them.

A paragraph is read while the next is written. The text is not held up: what is found stands below the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from orderly.errors import EngineFailed, ModelFailed
from orderly.services.support import Evidence

MAX_CHARACTERS = 1_500
"""Characters of the longest sentence that is read again."""
LEAST_CHARACTERS = 400
"""Characters below which a paragraph is read with the next, because each request repeats the instructions."""

FAILED = "{reader} could not check whether the quotations support {sentences}: {reason}"
NOT_ALL = "{reader} checked the first {read} of {count} sentences with a quotation."


QUOTED = "“…”"
"""Stands in a sentence for its quotation, so that a reader sees what it says of it: "It is untrue that “…”"."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words that a sentence quotes."""

    words: str
    place: str
    """Name of the document, label and title of the section."""
    next: str
    """The document's next sentence: it may restrict the words."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence of an answer, without its quotations, and what it quotes."""

    document_id: str
    sentence: str
    quoted: tuple[Quoted, ...]
    framed: str
    """The sentence with `QUOTED` in place of its quotations."""

    @property
    def quotations(self) -> tuple[str, ...]:
        return tuple(one.words for one in self.quoted)

    @property
    def length(self) -> int:
        return len(self.framed) + sum(len(one.words) + len(one.next) for one in self.quoted)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a reader says of sentences."""

    marks: Mapping[int, str] = field(default_factory=dict)
    """The mark of each unsupported sentence, by its index."""
    failure: str = ""
    """Why the sentences could not be read; empty if they were."""
    input_tokens: int = 0
    output_tokens: int = 0


@runtime_checkable  # pydantic checks the fields of a gate that a chat model holds
class SecondReader(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def finding(self) -> str:
        """What stands above the sentences that it finds unsupported."""
        ...

    @property
    def seconds(self) -> float:
        """Time limit for one paragraph."""
        ...

    @property
    def most(self) -> int:
        """Sentences of one answer that it reads: the first ones."""
        ...

    async def read(self, stated: Sequence[Stated]) -> Verdicts:
        """Reads sentences of one answer.

        Raises:
            EngineFailed: The legal engine failed.
            ModelFailed: The language model failed.
        """
        ...


@dataclass(slots=True)
class SecondReading:
    """Follows one answer. Stateful."""

    reader: SecondReader
    input_tokens: int = 0
    output_tokens: int = 0
    """Of all requests so far."""
    _stated: list[Stated] = field(default_factory=list)
    _given: int = 0
    """Sentences that were given to the reader."""
    _tasks: list[tuple[Sequence[Stated], asyncio.Task[Verdicts]]] = field(default_factory=list)

    def add(self, statement: str, evidence: Sequence[Evidence], framed: str = "") -> None:
        """Notes a sentence that the rules find supported.

        Args:
            statement: The sentence without its quotations.
            evidence: What it quotes, or what stands quoted near it.
            framed: The sentence with `QUOTED` in place of its quotations; empty if it has none.
        """
        documents = [e.document_id for e in evidence if e.document_id]
        plain = _plain(statement)
        if documents and plain and len(plain) <= MAX_CHARACTERS:
            quoted = tuple(Quoted(e.text, " ".join(e.labels.split()), e.next) for e in evidence)
            self._stated.append(Stated(documents[0], f"{plain}.", quoted, f"{_plain(framed) or plain}."))

    def end_paragraph(self) -> None:
        """Gives the reader what was noted, if it is worth a request. Must be called in the event loop."""
        if sum(one.length for one in self._stated[self._given :]) >= LEAST_CHARACTERS:
            self._start()

    async def note(self) -> str:
        """What to add to the answer: the sentences found unsupported, and those that were not read, with the reason."""
        self._start()
        read = [(stated, await task) for stated, task in self._tasks]
        low = [line for stated, verdicts in read for line in _marked(stated, verdicts)]
        parts = ["\n".join([self.reader.finding, *low])] if low else []
        parts += self._failures(read)
        if len(self._stated) > self._given:
            parts.append(NOT_ALL.format(reader=self.reader.name, read=self._given, count=len(self._stated)))
        return "".join(f"\n\n{part}" for part in parts)

    def stop(self) -> None:
        """Ends requests of an answer that is given up."""
        for _, task in self._tasks:
            task.cancel()

    def _start(self) -> None:
        stated = self._stated[self._given : self.reader.most]
        if stated:
            self._given += len(stated)
            self._tasks.append((stated, asyncio.create_task(self._read(stated))))

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

    def _failures(self, read: Sequence[tuple[Sequence[Stated], Verdicts]]) -> Iterator[str]:
        unread: dict[str, int] = {}
        for stated, verdicts in read:
            if verdicts.failure:
                unread[verdicts.failure] = unread.get(verdicts.failure, 0) + len(stated)
        for reason, count in unread.items():
            sentences = "the sentences" if count == self._given else f"{count} of {self._given} sentences"
            yield FAILED.format(reader=self.reader.name, sentences=sentences, reason=reason)


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).strip(" :;,.–—-()")


def _marked(stated: Sequence[Stated], verdicts: Verdicts) -> Iterator[str]:
    for at, mark in sorted(verdicts.marks.items()):
        yield f"- {stated[at].sentence.removesuffix('.')} {mark}"
