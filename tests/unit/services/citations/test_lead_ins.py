"""A lead-in that the answer has said is not printed again with the quotation that it belongs to."""

from __future__ import annotations

import pytest

from orderly.models import Caller
from orderly.services.citations import AnswerGate, Sources, Verifier
from orderly.services.citations.lead_ins import lead_in_of, says_lead_in
from orderly.services.text import PieceReader, RevisionView

DEED = """1. Restrictions

1.1 The Tenant must not:
(a) keep any animal in the premises without leave;
(b) alter the premises in any way that weakens them; or
(c) assign this lease to another person.

1.2 The Landlord shall keep the roof in repair at all times.
"""
ITEM, OTHER = "alter the premises in any way that weakens them", "assign this lease to another person"


class DeedVerifier(Verifier):
    async def view(self, document_id: str) -> RevisionView:
        document = {"id": "d", "filename": "deed.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
        document["revision"] = {"id": "r", "paged": False, "health": {}}  # type: ignore[assignment]
        return RevisionView({"document": document, "text": DEED, "pages": [], "sections": []})  # type: ignore[typeddict-item]

    async def cite(self, place: object) -> dict[str, object]:
        return {**place.record(), "citation_id": "c"}  # type: ignore[attr-defined]


async def shown(answer: str) -> str:
    records = [{"document_id": "d", "document_name": "deed.txt"}]
    gate = AnswerGate(Sources(DeedVerifier(None, Caller("ada")), records))  # type: ignore[arg-type]
    reader = PieceReader()
    reader.add(answer)
    out = [await gate.release(piece) for piece in reader.rest()]
    return "".join([*out, await gate.ending()]).partition("\n\nSources:")[0]


@pytest.mark.parametrize(
    "answer",
    [
        f"The Tenant must not “{ITEM}” [deed.txt].",
        f"The Tenant must not:\n\n(b) “{ITEM}” [deed.txt].",
        f"The Tenant must not:\n- “{ITEM}” [deed.txt]\n- “{OTHER}” [deed.txt]\n",
        f"The lease says “The Tenant must not:” “{ITEM}” [deed.txt].",
    ],
)
async def test_a_lead_in_in_the_answer_is_not_printed_twice(answer: str) -> None:
    text = await shown(answer)
    assert text.count("must not") == 1
    assert f"{ITEM}” [1]" in text


@pytest.mark.parametrize(
    "answer",
    [
        f"The document says “{ITEM}” [deed.txt].",
        f"The Tenant must not smoke. He may “{ITEM}” [deed.txt].",
        f"The Tenant must not:\n\n## What is allowed\n\n“{ITEM}” [deed.txt].",
        f"<!-- The Tenant must not: --> “{ITEM}” [deed.txt].",
        f"[1] The Tenant must not:\n“{ITEM}” [deed.txt].",
    ],
)
async def test_a_lead_in_that_is_not_read_with_the_quotation_completes_it(answer: str) -> None:
    assert "“1.1 The Tenant must not: (a) keep any animal" in await shown(answer)


async def test_the_numbered_clause_before_is_no_lead_in() -> None:
    assert "“The Landlord shall keep the roof in repair”" in await shown(
        "It says “The Landlord shall keep the roof in repair” [deed.txt]."
    )


@pytest.mark.parametrize("label", ["(c) ", "* (4C) ", "4.1 ", "• (a) "])
def test_the_label_of_a_lead_in_is_no_part_of_its_words(label: str) -> None:
    words = "The Tenant must not without leave of the Landlord"
    assert lead_in_of(f"{label}{words}:") == words
    assert says_lead_in(f"- **deed.txt**: “{label}{words}:” [deed.txt] … “", lead_in_of(f"{label}{words}:"))
