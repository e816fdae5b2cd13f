"""Runs whole answers through the citation gate, with documents in memory instead of a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from orderly.errors import NotFound
from orderly.models import Caller, Extracted
from orderly.services.citations import AnswerGate, Sources, Verifier
from orderly.services.citations.provisions import Provisions
from orderly.services.documents.health import health_report
from orderly.services.text import Passage, PieceReader, RevisionView, find_sections
from orderly.settings import Settings
from orderly.wiring.services import document_processor


def view_of(extracted: Extracted, name: str) -> RevisionView:
    """The view that the store returns for this text."""
    revision = {"id": name, "paged": extracted.paged, "health": health_report(extracted)}
    document = {"id": name, "filename": name, "matter_id": "", "status": "ready", "status_reason": "", "revision": revision}
    pages = [{k: v for k, v in asdict(page).items() if k != "lines"} for page in extracted.pages]
    found = find_sections(extracted.text, extracted.headings, extracted.pages)
    sections = [
        asdict(section) | {"id": f"{name}:{section.ordinal}", "page_first": page, "page_last": page}
        for section in found
        for page in [next((p.number for p in reversed(extracted.pages) if p.start <= section.start), 1)]
    ]
    return RevisionView({"document": document, "text": extracted.text, "pages": pages, "sections": sections})


async def read(paths: Sequence[Path], home: Path) -> list[tuple[Path, RevisionView]]:
    processor = document_processor(Settings(home=home, _env_file=None))
    return [(path, view_of(await processor.extract(path, path.name), path.name)) for path in paths]


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


class MemorySources(Sources):
    """Sources whose documents' provisions were read before, as they are in a second answer on the same documents."""

    async def provisions(self, document_id: str) -> Provisions:
        return provisions_of(await self.view(document_id))


@cache
def provisions_of(view: RevisionView) -> Provisions:
    return Provisions(view)


def gate_over(
    views: Sequence[RevisionView],
    asked: Sequence[str] = (),
    handles: Mapping[str, str] | None = None,
    passages: Sequence[Mapping[str, Any]] = (),
) -> AnswerGate:
    """The gate of an answer whose run has read `views`, and of them `passages` by their short ids."""
    records = [*(view.passage(0, 0).record() | {"start": None} for view in views), *passages]
    return AnswerGate(MemorySources(MemoryVerifier(views), records, handles), asked, numbered=True)


async def checked(answer: str, gate: AnswerGate) -> AnswerGate:
    """The gate after an answer, with the text that it showed and its checks."""
    await shown(answer, gate)
    return gate


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
