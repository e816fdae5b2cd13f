"""Runs whole answers through the citation gate, with documents in memory instead of a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from orderly.errors import NotFound
from orderly.models import Caller
from orderly.services.citations import AnswerGate, Sources, Verifier
from orderly.services.text import Passage, PieceReader, RevisionView


class MemoryVerifier(Verifier):
    """A verifier of documents that are held in memory; it stores no citations."""

    def __init__(self, views: Sequence[RevisionView]) -> None:
        super().__init__(None, Caller("evaluation"))  # type: ignore[arg-type]
        self._views = {view.document_id: view for view in views}

    async def view(self, document_id: str) -> RevisionView:
        if document_id not in self._views:
            raise NotFound(document_id)
        return self._views[document_id]

    async def cite(self, place: Passage) -> dict[str, Any]:
        return {**place.record(), "citation_id": f"{place.document_id}:{place.start}:{place.end}", "rectangles": []}


def gate_over(views: Sequence[RevisionView], asked: Sequence[str] = ()) -> AnswerGate:
    """The gate of an answer whose run has read `views`."""
    records = [view.passage(0, 0).record() | {"start": None} for view in views]
    return AnswerGate(Sources(MemoryVerifier(views), records), asked, numbered=True)


def chunks(answer: str, size: int = 12) -> Iterator[str]:
    for at in range(0, len(answer), size):
        yield answer[at : at + size]


async def shown(answer: str, gate: AnswerGate) -> str:
    """The answer as a reader sees it, with its list of sources, streamed in chunks."""
    reader = PieceReader()
    out = []
    for chunk in chunks(answer):
        if reader.add(chunk):
            out += [await gate.release(piece) for piece in reader.divide()]
    out += [await gate.release(piece) for piece in reader.rest()]
    return "".join([*out, await gate.ending()])


async def held_characters(answer: str, gate: AnswerGate) -> list[int]:
    """Characters that the gate holds after each chunk of a stream."""
    reader = PieceReader()
    held, written, seen = [], 0, 0
    for chunk in chunks(answer):
        written += len(chunk)
        if reader.add(chunk):
            for piece in reader.divide():
                if await gate.release(piece):
                    seen = written
        held.append(written - seen)
    for piece in reader.rest():
        await gate.release(piece)
    await gate.ending()
    return held
