"""What a document says of one thing is held beside what the others say of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orderly.services.questions.beside_others import beside_others
from orderly.services.questions.presence import DocumentAnswer
from orderly.services.text import RevisionView


def likely(id: str, text: str) -> DocumentAnswer:
    document: Any = {"id": id, "filename": f"{id}.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": text, "pages": [], "sections": []}
    return DocumentAnswer(id, f"{id}.txt", "likely", (RevisionView(row).passage(0, len(text)),))


CLUB = likely("club", "Five members form a quorum at a general meeting.")
ADVICE = likely("advice", "The adviser attends every general meeting of the firm.")
SEAL = likely("seal", "The seal is kept by the secretary.")


def test_a_passage_that_says_less_than_anothers_is_only_near() -> None:
    found = beside_others([ADVICE, CLUB, SEAL], "How large is a quorum at a general meeting?")
    assert [a.presence for a in found] == ["none", "likely", "none"]
    assert found[0].nearest == ADVICE.passages


def test_of_several_documents_and_of_a_known_subject_each_is_its_own() -> None:
    assert beside_others([ADVICE, CLUB], "Which documents regulate the quorum of a general meeting?") == [ADVICE, CLUB]
    known = [replace(ADVICE, subject="insurance"), replace(CLUB, subject="insurance")]
    assert beside_others(known, "How large is a quorum at a general meeting?") == known


def test_a_party_that_a_document_calls_you_is_nothing_that_it_leaves_unsaid() -> None:
    letter, contract = likely("letter", "The salary of the Employee is $9."), likely("contract", "Your salary is $8.")
    assert beside_others([letter, contract], "How high is the salary of the employee?") == [letter, contract]
