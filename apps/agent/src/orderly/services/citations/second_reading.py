"""A second opinion, after the rules, on whether quotations support the sentences that stand with them.

Read once, when the answer has ended: the text is not held up, and what is found stands below it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from orderly.errors import EngineFailed, ModelFailed, OrderlyError
from orderly.services.support import Evidence

MAX_CHARACTERS = 1_500
"""Characters of the longest sentence that is read again."""

FAILED = "{reader} could not check whether the quotations support the sentences: {reason}"
NOT_ALL = "{reader} checked the first {read} of {count} sentences with a quotation."


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence of an answer, without its quotations, and the words that it quotes."""

    document_id: str
    sentence: str
    quotations: tuple[str, ...]


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
        """Time limit for all sentences together."""
        ...

    @property
    def most(self) -> int:
        """Sentences of one answer that it reads: the first ones."""
        ...

    async def read(self, stated: Sequence[Stated]) -> Mapping[int, str] | None:
        """The mark of each unsupported sentence, by its index; None if it cannot read these.

        Raises:
            EngineFailed: The legal engine failed.
            ModelFailed: The language model failed.
        """
        ...


@dataclass(slots=True)
class SecondReading:
    """Follows one answer. Stateful."""

    reader: SecondReader
    _stated: list[Stated] = field(default_factory=list)

    def add(self, statement: str, evidence: Sequence[Evidence]) -> None:
        """Notes a sentence that the rules find supported."""
        documents = [e.document_id for e in evidence if e.document_id]
        plain = " ".join(statement.split()).strip(" :;,.–—-()")
        if documents and plain and len(plain) <= MAX_CHARACTERS:
            self._stated.append(Stated(documents[0], f"{plain}.", tuple(e.text for e in evidence)))

    async def note(self) -> str:
        """What to add to the answer: the sentences found unsupported, or why they were not read."""
        reader, count = self.reader, len(self._stated)
        if not count:
            return ""
        stated = self._stated[: reader.most]
        try:
            async with asyncio.timeout(reader.seconds):
                marks = await reader.read(stated)
        except (EngineFailed, ModelFailed, TimeoutError) as failure:
            reason = failure.message if isinstance(failure, OrderlyError) else f"no reply in {reader.seconds:g} seconds."
            return "\n\n" + FAILED.format(reader=reader.name, reason=reason)
        if marks is None:
            return ""
        low = [f"- {stated[n].sentence.removesuffix('.')} {mark}" for n, mark in sorted(marks.items())]
        lines = [reader.finding, *low] if low else []
        if count > len(stated):
            lines += [*([""] if low else []), NOT_ALL.format(reader=reader.name, read=len(stated), count=count)]
        return "\n".join(["", "", *lines]) if lines else ""
