"""The order of passages about no known concept: the reader reads the first, of those far down the part nearest to the query."""

from __future__ import annotations

import pytest

from orderly.services.engines.local import LocalEngine
from orderly.services.engines.local.reranking import PART, READ, WHOLE

QUERY = "What becomes of a horse that was not wormed?"
ANSWER = "An animal that arrives without treatment against parasites is sent home at the cost of its owner."
NEAR = (
    "A horse is kept in the stable that the committee gives to it.",
    "The owner of a horse feeds it each morning before nine.",
    "A horse is led, and not ridden, between the stable and the arena.",
)
FAR = (
    "The committee meets each March in the hall and keeps minutes of what was said.",
    "Whoever opens a gate shuts it again, and reports a broken one to the caretaker.",
    "The arena may be used from sunrise until the lights go out at nine in the evening.",
)
CLOSE, CLOSER_THAN_MANY, FOREIGN = 0.6, 0.3, -0.3
"""Cosines of NEAR, of the answer and of FAR."""


@pytest.fixture(scope="module")
def engine() -> LocalEngine:
    return LocalEngine(threads=1)


async def first(engine: LocalEngine, answer: str, before: int, behind: int) -> str:
    """The first of `before` passages that are closer to the query, the answer, and `behind` ones that are not as close."""
    near = [f"{number} {NEAR[number % len(NEAR)]}" for number in range(before)]
    far = [f"{number} {FAR[number % len(FAR)]}" for number in range(behind)]
    documents = [*near, answer, *far]
    cosines = [CLOSE] * before + [CLOSER_THAN_MANY] + [FOREIGN] * behind
    ranked = await engine.rerank(QUERY, documents, similarities=cosines)
    assert sorted(row["index"] for row in ranked) == list(range(len(documents)))
    return documents[ranked[0]["index"]]


async def test_the_passage_that_answers_comes_before_closer_ones(engine: LocalEngine) -> None:
    assert await first(engine, ANSWER, 3, 4) == ANSWER


async def test_of_a_long_passage_far_down_the_part_nearest_to_the_query_is_read(engine: LocalEngine) -> None:
    long = " ".join([*(f"{text} " * 3 for text in FAR), ANSWER])
    assert len(long) > PART
    assert await first(engine, long, WHOLE + 2, 8) == long


async def test_what_is_not_read_stays_where_words_and_meaning_put_it(engine: LocalEngine) -> None:
    assert await first(engine, ANSWER, READ + 2, 8) != ANSWER
