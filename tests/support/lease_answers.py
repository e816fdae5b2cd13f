"""Answers about the lease, as the citation gate shows them."""

from __future__ import annotations

from orderly.models import Caller
from orderly.services.citations import AnswerGate, Sources, Verifier
from orderly.services.text import PieceReader, RevisionView
from support.lease import LEASE

NOTICE = "“Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party.” [lease.txt]"
RENT = "“The Lessee shall pay rent of $4,500 per month in advance on the first day of each month.” [lease.txt]"
SECRET = (
    "“Each party shall keep the terms of this Lease confidential and shall not disclose them to any third party.” [lease.txt]"
)


class LeaseVerifier(Verifier):
    """A verifier of the lease, which stores no citations."""

    async def view(self, document_id: str) -> RevisionView:
        revision = {"id": "r", "paged": False, "health": {}}
        document = {
            "id": "d",
            "filename": "lease.txt",
            "matter_id": "m",
            "status": "ready",
            "status_reason": "",
            "revision": revision,
        }
        return RevisionView({"document": document, "text": LEASE, "pages": [], "sections": []})  # type: ignore[typeddict-item]

    async def cite(self, place: object) -> dict[str, object]:
        return {**place.record(), "citation_id": "c"}  # type: ignore[attr-defined]


def lease_gate(*, read: bool = True, asked: str = "May I sublet?") -> AnswerGate:
    """The gate of an answer whose run has read the lease, or nothing."""
    records = [{"document_id": "d", "document_name": "lease.txt"}] if read else []
    return AnswerGate(Sources(LeaseVerifier(None, Caller("ada")), records), [asked], numbered=True)  # type: ignore[arg-type]


async def stream(answer: str, size: int = 7, *, read: bool = True) -> list[str]:
    """The texts shown while an answer streams; the last one without the list of sources."""
    gate = lease_gate(read=read)
    reader, out = PieceReader(), []
    for at in range(0, len(answer), size):
        if reader.add(answer[at : at + size]):
            out += [await gate.release(piece) for piece in reader.divide()]
    out += [await gate.release(piece) for piece in reader.rest()]
    return [*out, (await gate.ending()).partition("\n\nSources:")[0]]


async def shown(answer: str, *, read: bool = True) -> str:
    """The answer as a reader sees it, without the list of sources."""
    return "".join(await stream(answer, read=read))
