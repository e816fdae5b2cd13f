"""The end of an answer: its spans are judged, a second reader's verdicts are joined, and what is told is listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from orderly.services.citations.checks import Check, listed
from orderly.services.citations.coverage import Asking, Coverage
from orderly.services.citations.evidence import Bound, Judged, ReadTexts
from orderly.services.citations.provisions import Provision
from orderly.services.citations.second_reading import SecondReading
from orderly.services.citations.sources import Sources
from orderly.services.citations.spans import AnswerSpan, divide
from orderly.services.citations.verdicts import Judge
from orderly.services.text import draft_fences


class ShownAnswer(Protocol):
    """The answer that is closed."""

    sources: Sources
    asked: Sequence[str]
    known: Sequence[Mapping[str, Any]]
    askings: Sequence[Asking]
    shown_results: Sequence[str]
    second: SecondReading | None
    checks: list[Check]
    text: str
    bounds: list[Bound]


@dataclass(slots=True)
class Closing:
    """Stateful: what was given to the second reader is not given again."""

    gate: ShownAnswer
    _given: int = 0
    """Offset up to which spans were given to the second reader."""
    _read: ReadTexts | None = None

    async def read_ahead(self) -> None:
        """Gives the second reader the spans of the blocks that are complete, and whose evidence can be known."""
        second, text = self.gate.second, self.gate.text
        if second is None:
            return
        last = text.rfind("\n\n", 0, max(text.rfind("\n\n"), 0))
        if last <= self._given:
            return
        judge = await self._judge(text)
        second.add([one for one in judge.joined if self._given <= one.span.start < last])
        self._given = last
        second.start_if_worth()

    async def told(self) -> str:
        """Fills the gate's checks. Returns the list of what is told."""
        gate = self.gate
        judge = await self._judge(gate.text)
        judged = judge.judge()
        self._coverage(judged)
        notes: Sequence[str] = ()
        if gate.second is not None:
            gate.second.add([one for one in judge.joined if one.span.start >= self._given])
            notes = await gate.second.join(judged)
        gate.checks[:] = [_check(one) for one in judged]
        return listed(gate.text, gate.checks, notes)

    async def _judge(self, text: str) -> Judge:
        bounds: list[Bound] = self.gate.bounds
        read = await self._texts()
        return Judge(text, self._spans(text, bounds), bounds, read)

    def _spans(self, text: str, bounds: Sequence[Bound]) -> list[AnswerSpan]:
        return divide(text, [(b.start, b.end) for b in bounds], draft_fences(text)[0])

    async def _texts(self) -> ReadTexts:
        if self._read is None:
            gate = self.gate
            documents = await gate.sources.read_texts()
            provisions: list[Provision] = []
            for document_id in dict.fromkeys(document_id for document_id, _ in documents):
                provisions += (await gate.sources.provisions(document_id)).all
            known = " ".join(str(record.get("text") or "") for record in gate.known)
            asked = "\n".join(gate.asked)
            names = gate.sources.documents
            is_partial = {document_id for document_id, _ in documents} != set(names)
            self._read = ReadTexts(documents, [*gate.shown_results, known], asked, provisions, names, is_partial)
        return self._read

    def _coverage(self, judged: Sequence[Judged]) -> None:
        """Claims over documents are counted against what was quoted and asked."""
        coverage = Coverage(frozenset(self.gate.sources.documents), self.gate.askings)
        claims = [(one, coverage.claim(one.own, one.evidence if one.bounds else ())) for one in judged]
        for one, claim in claims:
            if (
                claim is not None
                and one.verdict not in ("contradicted", "not found")
                and (wrong := coverage.wrong(claim, one.own))
            ):
                one.verdict, one.reason = "contradicted", wrong


def _check(one: Judged) -> Check:
    citations = tuple(dict.fromkeys(c for b in one.bounds for c in b.citations))
    return Check(one.span.start, one.span.end, one.verdict, one.reason, citations, one.place)
