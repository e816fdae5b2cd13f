"""What a question is about, in legal and in plain words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderly.services.engines.local import LocalEngine
from orderly.services.questions import Subject, find_subject

ENGINE = LocalEngine(threads=1)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("List the agreements with a non-disparagement clause.", "non-disparagement"),
        ("In which leases may the tenant put another firm in its place?", "assignment"),
        ("If a competitor buys up the whole company, what then?", "change of control"),
        ("How many months' notice stops it from going on for one more year?", "notice of non-renewal"),
        ("How much notice must the Consultant give to end the agreement?", "termination for convenience"),
        ("Which of these documents caps somebody's liability?", "cap on liability"),
        ("On what grounds may the employee be dismissed without notice?", None),
        ("Who walks the dog?", None),
        ("Which documents deal with redundancy pay?", None),
        ("How much would they pay at most if something goes wrong?", "cap on liability"),
        ("Which judgment is the most recent?", "agreement date"),
        ("List the leases in chronological order.", "agreement date"),
        ("Sort all our documents by date", "agreement date"),
        ("Which of the policies is the newest?", "agreement date"),
        ("Which lease is the latest to expire?", "term and expiry"),
        ("Which deed has the longest period of notice?", "termination for convenience"),
        ("What does the goods' price come to under each contract?", None),
        ("Which of the suppliers asks the highest price?", None),
        ("How many weeks has the purchaser to settle an account?", "payment terms"),
        ("What has to be done before settlement of the sale?", None),
        ("May they put up the price each year?", "price restrictions"),
        ("Does anybody get better prices than we do?", "most favoured nation"),
        ("What is the least that we must order?", "minimum commitment"),
        ("Can the landlord move us?", None),
        ("Can the landlord relocate the tenant?", None),
    ],
)
async def test_the_subject_is_recognised_in_words_of_any_kind(question: str, subject: str | None) -> None:
    sure = await find_subject(ENGINE, question)
    assert (sure and sure.name) == subject


async def test_a_law_that_is_named_is_the_one_asked_for_unless_one_document_is_asked() -> None:
    found = await find_subject(ENGINE, "Which contracts are subject to Victorian law?")
    assert found == Subject("governing law", "jurisdiction", frozenset({"Victoria, Australia"}))
    assert found.of_any_value() == replace(found, only=frozenset())
