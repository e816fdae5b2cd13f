"""Items and rows of schedules: named by number, referred to by a clause, and chosen by a number that is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orderly.services.engines.local import sentences
from orderly.services.questions import DocumentAnswer
from orderly.services.questions.clause_parts import by_clause
from orderly.services.questions.schedule_items import named_items, with_items
from orderly.services.text import RevisionView

ROWS = (
    "Item\tSubject\tParticulars",
    "Item 1\tPremises\tShed 9, Dock Road; with its yard",
    "Item 2\tHire\tSeason 1: $400; Season 2: $450; Season 3: $480",
    "Item 12\tDeposit\t$900",
)
FEES = ("1\tMooring\t$70", "2\tDiving, per hour\t$210")
CLAUSE = "4.1 The Hirer must pay the Hire in Item 2 on the first day of each month."
TEXT = (
    f"{CLAUSE}\n\nThe Hirer may dive for the fee in item 2 of Schedule 2.\n\n"
    + "\n".join(ROWS)
    + "\n\nSchedule 2\n"
    + "\n".join(FEES)
)
AT = TEXT.index("Schedule 2\n")


def view(text: str = TEXT) -> RevisionView:
    document: Any = {"id": "d", "filename": "Hire.docx", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    section: Any = {"id": "s", "label": "Schedule 2", "title": "Fees", "start": AT, "end": len(text), "level": 1, "idx": 0}
    row: Any = {"document": document, "text": text, "pages": [], "sections": [section]}
    return RevisionView(row)


def shown(answer: DocumentAnswer | None) -> list[str]:
    return [passage.text for passage in answer.passages] if answer else []


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the deposit in item 12?", [ROWS[3]]),
        ("What does item 2 of Schedule 2 cost?", [FEES[1]]),
        ("What is the fee in item 1 of the schedule?", [ROWS[1]]),
        ("What is the fee in item 31?", []),
        ("What is the deposit?", []),
    ],
)
def test_a_question_names_an_item(question: str, rows: list[str]) -> None:
    assert shown(named_items(view(), question)) == rows


def test_an_answer_that_leaves_the_figure_to_an_item_is_shown_with_it() -> None:
    answer = DocumentAnswer("d", "Hire.docx", "answer", (view().passage(4, len(CLAUSE)),))
    assert shown(with_items(answer, view())) == [CLAUSE[4:], ROWS[2]]
    start = TEXT.index("The Hirer may")
    answer = replace(answer, passages=(view().passage(start, TEXT.index("\n\nItem")),))
    assert shown(with_items(answer, view()))[1:] == [FEES[1]]
    assert with_items(replace(answer, presence="none"), view()).passages == answer.passages


def test_rows_of_a_table_are_sentences_of_their_own() -> None:
    found = [TEXT[s.start : s.end] for s in sentences(TEXT)]
    assert [row for row in ROWS if row in found] == list(ROWS)
    assert "| Hall | $80 |" in [t[s.start : s.end] for t in ["Rates:\n| Hall | $80 |\n| Yard | $20 |"] for s in sentences(t)]


def test_of_a_table_the_row_with_the_number_that_is_asked_for_is_shown() -> None:
    start = TEXT.index(ROWS[1])
    whole = DocumentAnswer("d", "Hire.docx", "likely", (view().passage(start, AT),))
    assert shown(by_clause(whole, view(), "What is due at Dock Road in season 3?")) == [ROWS[2]]
