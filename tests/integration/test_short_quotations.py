"""Whole answers of a language model with short quotations, as a lawyer reads them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from integration.graph_runs import delegating, once, run
from orderly.models import Caller
from orderly.services.citations.quotation_edits import SHORT_UNVERIFIED as ABSENT
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.lease import LEASE
from support.lease_answers import NOTICE, RENT, SECRET

Acting = Callable[[Caller], dict[str, Any]]
Add = Callable[..., Awaitable[str]]

ANSWERS = (
    f"The Lessee pays in advance: {RENT}\n\nThe Lessee “need not repair anything”†, and the Lessor “may not enter”†.",
    f"## Subletting\n\nThe Lessee “may sublet the premises”† “to anybody without any consent”†.\n\n## Notice\n\n{NOTICE}",
    f"In short:\n\n- **Rent:** “payable quarterly”†\n- **Notice:** {NOTICE}\n- **Term:** “perpetual”†",
    f"| Point | Lease |\n|---|---|\n| Rent | {RENT} |\n| Interest | “is not charged”† |\n| “Break right” | None stated |",
    f"I searched for “force majeure” and “quiet enjoyment”. The lease does not use the words “force majeure”. It ends so: {NOTICE}",
    f"Either party may end it on ninety days’ notice (a “break right”): {NOTICE}\n\nThat the parties “shall not pay rent”† later is unclear.",
    f"The rent is due “in advance” and “bears no interest”†: {RENT}",
    f"I note the words “rent is not payable”† there. The terms are secret: {SECRET} Shall I draft a “confidentiality” clause?",
    f"> shall not pay rent†\n\nThe lease says so. {NOTICE}",
    "The Lessee “shall not pay rent”†. The Lessor “waives all rights”†.",
)
"""Each with a dagger where the lawyer sees a note."""


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
async def test_a_lawyer_sees_which_short_quotations_stand_in_no_document(
    settings: Settings, services: Services, ada: Caller, acting: Acting, add_file: Add, answer: str
) -> None:
    written, shown = answer.replace("†", ""), answer.replace("†", ABSENT).replace(" [lease.txt]", " [1]")
    document = await add_file("lease.txt", LEASE)
    research = once(("get_document_text", {"document_id": document}), then="Read.")
    state, _ = await run(settings, delegating(lambda request: written, research), acting(ada), "What does it say?")
    text = state["messages"][-1].text.partition("\n\nSources:")[0].strip()
    assert text == shown
