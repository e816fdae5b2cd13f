from __future__ import annotations

import pytest

from orderly.services.columns import ReadyColumn, can_fill, column_sets
from orderly.services.columns import propose_column as proposal
from orderly.services.engines.local import LocalEngine

ENGINE = LocalEngine(threads=1)


async def propose_column(question: str) -> ReadyColumn:
    return proposal(question, await ENGINE.subjects(question))


@pytest.mark.parametrize(
    ("question", "title", "answer_type", "options"),
    [
        ("Can the landlord paint the shop?", "Landlord can paint the shop", "yes_no", ()),
        ("What is the rent?", "Rent", "money", ()),
        ("When does the option lapse?", "When does the option lapse", "date", ()),
        ("What is the cap on liability?", "Cap on liability", "money", ()),
        ("How much is the establishment fee?", "Establishment fee", "money", ()),
        ("What can the garden be hired for?", "What can the garden be hired for", "text", ()),
        ("Is there a bar or a café?", "Bar or a café", "yes_no", ()),
        ("Who are the guarantors?", "Guarantors", "text", ()),
        (
            "Is the licence exclusive or non-exclusive?",
            "Licence: exclusive or non-exclusive",
            "choice",
            ("exclusive", "non-exclusive"),
        ),
        (
            "Is the licence exclusive, sole or non-exclusive?",
            "Licence: exclusive, sole or non-exclusive",
            "choice",
            ("exclusive", "sole", "non-exclusive"),
        ),
        (
            "Is the position full time, part time or casual?",
            "Position: full time, part time or casual",
            "choice",
            ("full time", "part time", "casual"),
        ),
        ("How much notice must the carrier give?", "How much notice must the carrier give", "duration", ()),
        ("How many seats are included?", "How many seats are included", "number", ()),
        ("Who bears the risk in transit?", "Who bears the risk in transit", "text", ()),
    ],
)
async def test_a_question_gets_a_title_and_the_type_of_its_answer(
    question: str, title: str, answer_type: str, options: tuple[str, ...]
) -> None:
    column = await propose_column(question)
    assert (column.title, column.answer_type, column.options, column.question) == (title, answer_type, options, question)


async def test_a_question_that_a_ready_made_column_asks_gets_that_column() -> None:
    column = await propose_column("Is there a cap on liability?")
    assert (column.title, column.answer_type, column.subject) == ("Cap on liability", "yes_no", "cap on liability")


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Can the landlord move us?", "Relocation by the landlord"),
        ("What happens if they knock the building down?", "Demolition or redevelopment"),
        ("What can the shop be used for?", "Permitted use"),
        ("When does the rent go up?", "Rent review"),
        ("When does the lease expire?", "Expiry"),
        ("What's the expiry date?", "Expiry"),
        ("Which state's law applies?", "Governing law"),
        ("Does it roll over automatically?", "Renews automatically"),
        ("Can we assign without their consent?", "Consent to assignment"),
        ("What happens if the company is sold?", "Change of control"),
        ("Can either side walk away without a reason?", "Termination for convenience"),
        ("Can she poach our staff?", "Non-solicitation of employees"),
        ("Is there a take or pay?", "Minimum commitment"),
        ("When does risk pass?", "Delivery and risk"),
        ("Who owns the IP?", "Assignment of intellectual property"),
        ("How much notice must the employee give?", "Notice of termination"),
        ("When is the loan due?", "Repayment or maturity"),
        ("Is the NDA mutual?", "Mutual or one-way"),
    ],
)
async def test_a_plain_question_gets_the_ready_made_column_with_its_own_question(question: str, title: str) -> None:
    ready = {column.title: column for found in column_sets().values() for column in found.columns}
    assert await propose_column(question) == ready[title]


def test_every_subject_of_a_ready_made_column_can_be_filled() -> None:
    columns = [column for found in column_sets().values() for column in found.columns]
    assert len(column_sets()) == 7
    assert all(can_fill(column.subject, column.answer_type) for column in columns if column.subject)
    assert all((column.answer_type == "choice") == (len(column.options) > 1) for column in columns)
