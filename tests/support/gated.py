"""Answers through the citation gate, over documents in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from orderly.errors import NotFound
from orderly.models import Caller
from orderly.services.citations import AnswerGate, Sources, Verifier
from orderly.services.text import Passage, PieceReader, RevisionView, find_sections
from support.lease import LEASE

NOTICE = "“Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party.” [lease.txt]"
RENT = "“The Lessee shall pay rent of $4,500 per month in advance on the first day of each month.” [lease.txt]"
SECRET = (
    "“Each party shall keep the terms of this Lease confidential and shall not disclose them to any third party.” [lease.txt]"
)


def view_of(name: str, text: str) -> RevisionView:
    """A document whose id is its name. A form feed begins a page."""
    starts = [0, *(m.end() for m in re.finditer("\f", text))]
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    pages = [{"number": n, "start": a, "end": b} for n, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]
    sections = [asdict(s) | {"id": f"{name}:{s.ordinal}", "page_first": 1, "page_last": 1} for s in find_sections(text)]
    document: Any = {"id": name, "filename": name, "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": name, "paged": "\f" in text, "health": {}}
    row: Any = {"document": document, "text": text, "pages": pages, "sections": sections}
    return RevisionView(row)


class MemoryVerifier(Verifier):
    """A verifier of documents that are held in memory; it stores no citations."""

    def __init__(self, documents: Mapping[str, str]) -> None:
        super().__init__(None, Caller("ada"))  # type: ignore[arg-type]
        self.held = {name: view_of(name, text) for name, text in documents.items()}

    async def view(self, document_id: str) -> RevisionView:
        if document_id not in self.held:
            raise NotFound(document_id)
        return self.held[document_id]

    async def cite(self, place: Passage) -> dict[str, Any]:
        return {**place.record(), "citation_id": f"{place.document_id}:{place.start}", "rectangles": []}


def gate_over(documents: Mapping[str, str] | None = None, asked: str = "May I sublet?", **more: Any) -> AnswerGate:
    """The gate of an answer whose run has read documents in whole, by default the lease; their short ids are D1, D2, …"""
    documents = {"lease.txt": LEASE} if documents is None else documents
    verifier, handles = MemoryVerifier(documents), {name: f"D{n}" for n, name in enumerate(documents, 1)}
    records = [view.passage(0, 0).record() | {"start": None} for view in verifier.held.values()]
    passages = more.pop("passages", ())
    sources = Sources(verifier, [*records, *passages], handles | more.pop("handles", {}))
    return AnswerGate(sources, [asked], numbered=more.pop("numbered", True), **more)


async def stream(answer: str, gate: AnswerGate | None = None, size: int = 7) -> list[str]:
    """The texts shown while an answer streams; the last one is its ending."""
    gate = gate or gate_over()
    reader, out = PieceReader(), []
    for at in range(0, len(answer), size):
        if reader.add(answer[at : at + size]):
            out += [await gate.release(piece) for piece in reader.divide()]
    out += [await gate.release(piece) for piece in reader.rest()]
    return [*out, await gate.ending()]


async def shown(answer: str, gate: AnswerGate | None = None) -> str:
    """The answer as a reader sees it, without its ending."""
    return "".join((await stream(answer, gate))[:-1])


async def verdicts(answer: str, gate: AnswerGate | None = None) -> list[tuple[str, str, str]]:
    """Each span of an answer, as shown, with its verdict and the reason."""
    gate = gate or gate_over()
    await stream(answer, gate)
    return [(gate.text[check.start : check.end], check.verdict, check.reason) for check in gate.checks]


async def told(answer: str, gate: AnswerGate | None = None) -> list[tuple[str, str]]:
    """What is told of an answer: verdicts and reasons."""
    return [(verdict, reason) for _, verdict, reason in await verdicts(answer, gate) if reason and verdict != "calculated"]
