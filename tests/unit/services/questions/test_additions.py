"""An answer to a follow-up is held to what the follow-up adds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orderly.services.questions.additions import held_to_addition
from orderly.services.questions.presence import DocumentAnswer
from orderly.services.text import RevisionView

HIRE = "The Hirer shall return the crane within fourteen days of a written notice."
FLOOD = "If the yard floods the Hirer shall move the crane to higher ground."
TEXT = f"{HIRE}\n\n{FLOOD}\n\nThe crane is painted yellow and has a name of its own."


def view() -> RevisionView:
    document: Any = {"id": "d", "filename": "Crane.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": TEXT, "pages": [], "sections": []}
    return RevisionView(row)


RETURN = DocumentAnswer("d", "Crane.txt", "answer", (view().passage(0, len(HIRE)),))


def test_an_answer_that_says_the_addition_stands() -> None:
    assert held_to_addition(RETURN, view(), "when must it be returned?") is RETURN


def test_an_addition_without_words_of_its_own_holds_nothing() -> None:
    assert held_to_addition(RETURN, view(), "for how long?") is RETURN


def test_the_sentence_that_says_the_addition_takes_the_answers_place() -> None:
    found = held_to_addition(RETURN, view(), "if the yard is flooded?")
    assert (found.presence, [p.text for p in found.passages]) == ("likely", [FLOOD])


def test_a_part_of_the_addition_is_only_near() -> None:
    found = held_to_addition(RETURN, view(), "during a yellow fever?")
    assert (found.presence, found.passages) == ("none", ())
    assert found.nearest[0].text.startswith("The crane is painted yellow") and found.nearest[1].text == HIRE


def test_an_addition_of_which_the_document_says_nothing_leaves_the_answer_near() -> None:
    found = held_to_addition(RETURN, view(), "if a meteorite strikes?")
    assert (found.presence, [p.text for p in found.nearest]) == ("none", [HIRE])


def test_a_value_answers_the_question_when_in_other_words() -> None:
    dated = replace(RETURN, value="2024-07-01")
    assert held_to_addition(dated, view(), "when does it begin?") is dated
