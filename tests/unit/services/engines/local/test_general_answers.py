"""Questions about no known concept: the reader's answer, its list, its confidence, its silence."""

from __future__ import annotations

import pytest

from orderly.services.engines.local import LocalEngine
from orderly.services.engines.local.general_answers import confidence, read
from orderly.services.engines.local.model_loader import ModelLoader

RULES = """RULES OF THE PADDOCK CLUB

1 Horses
A horse must be wormed before it comes onto the grounds.

2 Gates
Whoever opens a gate shuts it again.

3 Leaving
A member who has not paid the subscription for three months ceases to be a member.

4 The committee may exclude a rider who—
(a) rides without a helmet; or
(b) frightens the stock,
for up to one season.

5 Meetings
The members meet each March in the hall.
"""


@pytest.fixture(scope="module")
def engine() -> LocalEngine:
    return LocalEngine(threads=1)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What becomes of somebody who does not keep up their fees?", "ceases to be a member"),
        ("Do animals need medicine before they arrive?", "must be wormed"),
        ("When is the get-together?", "each March"),
    ],
)
async def test_the_words_that_answer_are_found_without_the_words_of_the_question(
    engine: LocalEngine, question: str, said: str, quick: bool
) -> None:
    found = await engine.extract(question, RULES, quick=quick)
    best = found["answers"][0]
    assert said in best["text"] and RULES[best["start"] : best["end"]] == best["text"]


CREDIT = """6 Enforcement

(1) A creditor must not take enforcement action against a farmer under a farm mortgage unless the following are done—
(a) the creditor has given the farmer a notice that states the amount of the debt, the name of the officer who deals with it and the steps that are proposed;
(b) the notice has been delivered by hand to the farmer or left at the homestead with a person who appears to be at least sixteen years old and to live there;
(c) the farmer has been told of the free services of the rural adviser of the district and has had the chance to meet that adviser at the cost of the creditor; and
(d) 21 days have gone by since the notice was given.

(2) Subsection (1) does not apply to machinery.
"""


def test_an_item_far_below_the_words_that_introduce_it_is_shown_with_them() -> None:
    loader = ModelLoader(threads=1)
    best = read("How many days must the bank wait after it writes?", CREDIT, loader.reader, loader.meaning.embed)[0]
    shown = CREDIT[best.start : best.end]
    assert shown.startswith("(1) A creditor must not") and shown.endswith("21 days have gone by since the notice was given.")


async def test_an_item_is_answered_with_the_words_that_introduce_it(engine: LocalEngine) -> None:
    found = await engine.extract("Can a rider be thrown out for scaring cattle?", RULES)
    assert (
        found["answers"][0]["text"].startswith("4 The committee may exclude")
        or "The committee may exclude" in found["answers"][0]["text"]
    )
    assert "frightens the stock" in found["answers"][0]["text"]


async def test_what_the_text_does_not_say_is_not_answered(engine: LocalEngine) -> None:
    found = await engine.extract("Which bank holds the trust account?", RULES)
    assert not found["answered"] and not found["answering"] and found["confidence"] < confidence().threshold


async def test_a_text_without_sentences_has_no_answer(engine: LocalEngine) -> None:
    found = await engine.extract("Who pays?", "\n\n1\n\n2\n")
    assert not found["answered"]
