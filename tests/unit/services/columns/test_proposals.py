from __future__ import annotations

import pytest

from orderly.services.columns import can_fill, column_sets, propose_column


@pytest.mark.parametrize(
    ("question", "title", "answer_type", "options"),
    [
        ("Can the landlord move us?", "Landlord can move us", "yes_no", ()),
        ("What is the rent?", "Rent", "money", ()),
        ("When does the lease expire?", "When does the lease expire", "date", ()),
        (
            "Is the licence exclusive or non-exclusive?",
            "Licence: exclusive or non-exclusive",
            "choice",
            ("exclusive", "non-exclusive"),
        ),
        ("How much notice must the employee give?", "How much notice must the employee give", "duration", ()),
        ("How many seats are included?", "How many seats are included", "number", ()),
        ("Who bears the risk in transit?", "Who bears the risk in transit", "text", ()),
        ("Which state's law applies?", "State's law applies", "jurisdiction", ()),
    ],
)
def test_a_question_gets_a_title_and_the_type_of_its_answer(
    question: str, title: str, answer_type: str, options: tuple[str, ...]
) -> None:
    column = propose_column(question)
    assert (column.title, column.answer_type, column.options, column.question) == (title, answer_type, options, question)


def test_a_question_that_a_ready_made_column_asks_gets_that_column() -> None:
    column = propose_column("Is there a cap on liability?")
    assert (column.title, column.answer_type, column.subject) == ("Cap on liability", "yes_no", "cap on liability")


def test_every_subject_of_a_ready_made_column_can_be_filled() -> None:
    columns = [column for found in column_sets().values() for column in found.columns]
    assert len(column_sets()) == 7
    assert all(can_fill(column.subject, column.answer_type) for column in columns if column.subject)
    assert all((column.answer_type == "choice") == (len(column.options) > 1) for column in columns)
