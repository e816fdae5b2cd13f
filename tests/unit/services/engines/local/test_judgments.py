"""Questions about judgments: the outcome is found, and an answer keeps to its paragraph."""

from __future__ import annotations

import pytest

from orderly.services.engines.local import LocalEngine, sentences
from orderly.services.engines.local.outcomes import outcome_scores
from orderly.services.engines.local.question_cues import lacks_measure
from orderly.services.text import paragraph_starts

ORDER = "9 The application is dismissed and the owner should pay the builder's costs."
JUDGMENT = f"""Builder v Owner [2011] FCA 12

1 The builder laid the slab of a house at Glebe in March 2009.
2 The owner says that the slab cracked within a month, and has not paid.
3 The contract requires a notice of defects within ten days.
4 In Smith v Jones (1999) 12 FCR 3 the notice was held to be essential.
THE NOTICE 5 The owner sent a letter on 4 May 2009. It did not name any defect.
6 An engineer, Ms Lee, gave evidence about the concrete.
7 She was an impressive witness. Her report was not challenged.
8 The owner asked who had won the tender for the roof, which does not matter here.
{ORDER}
"""


@pytest.fixture(scope="module")
def engine() -> LocalEngine:
    return LocalEngine()


@pytest.mark.parametrize("question", ["Who won?", "What was the outcome of the case?", "Who has to bear the costs?"])
async def test_the_outcome_of_a_case_is_read_from_its_orders(engine: LocalEngine, question: str) -> None:
    best = (await engine.extract(question, JUDGMENT))["answers"][0]
    assert best["text"] == ORDER


async def test_a_search_for_the_outcome_finds_the_orders_though_they_share_no_word_with_it(engine: LocalEngine) -> None:
    passages = JUDGMENT.splitlines()
    ranked = await engine.rerank("Who won?", passages)
    assert passages[ranked[0]["index"]] == ORDER
    assert "dismissed" in await engine.expand("Who won?")
    [query] = await engine.embed(["Who won?"], task="retrieval/query")
    [order] = await engine.embed([ORDER])
    assert sum(a * b for a, b in zip(query, order, strict=True)) > 0.4


def test_a_duty_to_pay_costs_in_a_contract_is_no_outcome() -> None:
    text = "The Licensee shall pay all costs of delivery."
    found = sentences(text)
    assert outcome_scores("Who pays the costs?", text, found, of_case=True).any()
    assert not outcome_scores("Who pays the costs?", text, found, of_case=False).any()


async def test_an_answer_keeps_to_the_paragraph_of_a_judgment(engine: LocalEngine) -> None:
    assert JUDGMENT[paragraph_starts(JUDGMENT)[4] :].startswith("5 The owner sent a letter")
    best = (await engine.extract("What did the letter of the owner say?", JUDGMENT))["answers"][0]
    assert best["text"] == "5 The owner sent a letter on 4 May 2009. It did not name any defect."


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("What was the price of the bicycle?", "Bicycles are sold by dealers.", True),
        ("What was the price of the bicycle?", "Bicycles are sold for $900.", False),
        ("How long does the tenant have?", "The tenant has to answer within seven days.", False),
        ("How long does the tenant have?", "The tenant answers the landlord.", True),
        ("How often is rent reviewed?", "Rent is reviewed annually.", False),
        ("Who pays the rent?", "The tenant pays it.", False),
    ],
)
def test_a_text_without_a_measure_does_not_answer_a_question_for_one(question: str, text: str, lacks: bool) -> None:
    assert lacks_measure(question, text) == lacks
