"""An answer is held to the party of whom a question asks."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.questions.asked_party import held_to_party
from orderly.services.questions.presence import found_at
from orderly.services.text import RevisionView

CUSTOMER = "The Customer may terminate this agreement on 90 days' notice."
SUPPLIER = "The Supplier may terminate if an invoice is not paid."
EITHER = "Either party may terminate for insolvency."


def view_of(text: str) -> RevisionView:
    document: Any = {"id": "d", "filename": "Work.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": text, "pages": [], "sections": []}
    return RevisionView(row)


@pytest.mark.parametrize(
    ("question", "shown", "presence", "first"),
    [
        ("Can the supplier terminate?", [CUSTOMER], "likely", CUSTOMER),
        ("Can the customer terminate?", [CUSTOMER], "answer", CUSTOMER),
        ("Can the supplier terminate?", [EITHER], "answer", EITHER),
        ("Can the supplier terminate?", [CUSTOMER, SUPPLIER], "answer", SUPPLIER),
        ("How is the agreement ended by the supplier?", [CUSTOMER], "answer", CUSTOMER),
    ],
)
def test_what_another_party_may_do_is_only_likely(question: str, shown: list[str], presence: str, first: str) -> None:
    text = f"{CUSTOMER}\n\n{SUPPLIER}\n\n{EITHER}"
    view = view_of(text)
    passages = [view.passage(text.index(one), text.index(one) + len(one)) for one in shown]
    held = held_to_party(found_at(view, passages), view, question)
    assert (held.presence, held.passages[0].text) == (presence, first)
