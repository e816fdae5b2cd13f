"""Whether documents have something is answered by passages that speak of it."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.questions.existence import asks_whether, held_to_existence, is_wider, standard_clause
from orderly.services.questions.presence import DocumentAnswer
from orderly.services.text import RevisionView

FEES = "The treasurer records all payments that the club makes in the books."
DOGS = "Dogs are kept on a lead in the garden at all times."


def view() -> RevisionView:
    document: Any = {"id": "d", "filename": "Rules.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": f"{FEES}\n\n{DOGS}", "pages": [], "sections": []}
    return RevisionView(row)


def likely(confidence: float = 0.2) -> DocumentAnswer:
    return DocumentAnswer("d", "Rules.txt", "likely", (view().passage(0, len(FEES)),), confidence=confidence)


ABSENT = DocumentAnswer("d", "Rules.txt", "none")


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Which documents have a confidentiality clause?", "confidentiality"),
        ("Is there an indemnity?", "indemnity"),
        ("Which of these agreements contain warranties?", "warranties"),
        ("Does the agreement contain a limitation of liability?", "limitation of liability"),
        ("What confidentiality obligations are there in each document?", "confidentiality"),
        ("Compare the indemnities in these agreements.", "indemnity"),
        ("What warranties are given in each?", "warranties"),
        ("How can each of these be terminated or cancelled?", "termination"),
        ("Which of these documents have a termination clause?", "termination"),
        ("Which of these agreements can be terminated for convenience?", None),
        ("What is said about cancelled payments in each document?", None),
        ("Which documents have a redundancy clause?", None),
        ("What warranties does the supplier give?", None),
        ("Does the tenant have to pay for an indemnity of the lender?", None),
        ("How long is the warranty period?", None),
    ],
)
def test_a_standard_clause_is_asked_for_by_its_name_alone(question: str, clause: str | None) -> None:
    assert standard_clause(question) == clause


def test_a_standard_clause_is_wider_than_one_kind_of_it() -> None:
    assert is_wider("termination", "termination for convenience")
    assert not is_wider("governing law", "governing law") and not is_wider("assignment", "change of control")


def test_a_passage_about_something_else_is_only_near() -> None:
    found = held_to_existence(likely(), view(), "Is there a severance payment in the rules?", None)
    assert (found.presence, found.passages, len(found.nearest)) == ("none", (), 1)
    assert held_to_existence(likely(), view(), "Does it mention payments of the club?", None).presence == "likely"


def test_a_question_for_what_a_document_says_keeps_what_comes_near() -> None:
    question = "Who decides about a severance payment?"
    assert not asks_whether(question)
    assert held_to_existence(likely(), view(), question, None) == likely()


def test_a_passage_is_surer_to_be_likely_where_the_known_clause_was_not_found() -> None:
    question = "Is there a record of payments?"
    assert held_to_existence(likely(0.2), view(), question, ABSENT).presence == "none"
    assert held_to_existence(likely(0.4), view(), question, ABSENT).presence == "likely"


def test_a_question_that_says_more_than_the_name_of_the_clause_keeps_what_is_likely() -> None:
    question = "Is there a fee if the club makes payments?"
    assert held_to_existence(likely(0.2), view(), question, ABSENT).presence == "likely"
