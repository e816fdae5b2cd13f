"""Whether figures of an answer follow from others, and which calculations of a sentence come out otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orderly.services.calculation.arithmetic import span_of
from orderly.services.calculation.calculations import follows, wrong_calculations
from orderly.services.support.facts import read_facts
from orderly.services.values import DateValue

EVALS = Path(__file__).parents[4] / "evals"


def how(sentence: str, figure: str, evidence: str = "", block: str = "", question: str = "") -> str | None:
    """How the one figure of the sentence that stands in these words follows."""
    facts, start = read_facts(sentence), sentence.rindex(figure)
    figures = [*facts.dates, *facts.durations, *facts.money, *facts.percents, *facts.numbers]
    (said,) = (one for one in figures if span_of(one)[0] < start + len(figure) and span_of(one)[1] > start)
    return follows(said, facts, read_facts(block or sentence), read_facts(evidence), read_facts(question))


def told(sentence: str, block: str = "") -> list[tuple[str, str]]:
    return [(sentence[one.start : one.end], one.value) for one in wrong_calculations(sentence, block or sentence)]


def is_right(row: dict[str, Any]) -> bool:
    follows = how(row["sentence"], row["figure"], row["evidence"], row["block"], row["question"])
    return follows is not None and not any(
        row["figure"] in words or words in row["figure"] for words, _ in told(row["sentence"], row["block"])
    )


@pytest.mark.parametrize(
    ("name", "right", "most_right_missed", "most_wrong_passed"),
    [("calculations.jsonl", 40, 0, 4), ("calculations_other.jsonl", 40, 2, 0)],
)
def test_right_figures_follow_and_wrong_ones_do_not(
    name: str, right: int, most_right_missed: int, most_wrong_passed: int
) -> None:
    rows = [json.loads(line) for line in (EVALS / name).read_text(encoding="utf-8").splitlines()]
    missed = [row["sentence"] for row in rows if row["right"] and not is_right(row)]
    passed = [row["sentence"] for row in rows if not row["right"] and is_right(row)]
    assert sum(row["right"] for row in rows) == right
    assert len(missed) <= most_right_missed, missed
    assert len(passed) <= most_wrong_passed, passed


@pytest.mark.parametrize(
    ("sentence", "figure", "evidence", "expected"),
    [
        ("Notice is due by 28 February 2026.", "28 February 2026", "One month after 31 January 2026.", "31 January 2026 plus 1 months"),
        ("It ends on 29 February 2028.", "29 February 2028", "One month after 31 January 2028.", "31 January 2028 plus 1 months"),
        ("The year ended on 28 February 2025.", "28 February 2025", "12 months from 29 February 2024.", "29 February 2024 plus 12 months"),
        ("It may be held on 18 May 2026.", "18 May 2026", "14 clear days after 3 May 2026.", "3 May 2026 plus 14 days, clear"),
        ("It may be held on 17 May 2026.", "17 May 2026", "14 clear days after 3 May 2026.", None),
        ("Settlement is on 10 April 2026.", "10 April 2026", "Five business days after 1 April 2026, in Sydney.", "calendar of New South Wales assumed"),
        ("Settlement is on 9 April 2026.", "9 April 2026", "Five business days after 1 April 2026, in Sydney.", None),
        ("It is due on 28 April 2026.", "28 April 2026", "One business day after 24 April 2026 (NSW).", "calendar of New South Wales assumed"),
        ("It is due on 28 April 2026.", "28 April 2026", "One working day after 24 April 2026 (London).", None),
        ("The report is due on 17 May 2026.", "17 May 2026", "Within a fortnight after 3 May 2026.", "3 May 2026 plus 2 weeks"),
        ("It lapses the day before, on 16 May 2027.", "16 May 2027", "Before the fifth anniversary of 17 May 2022.", "17 May 2022"),
        ("Both fees come to £3,000.", "£3,000", "A fee of £1,500.", "1,500 × 2"),
        ("He was 64 then.", "64", "Born 14 September 1961. Lapsed on 1 May 2026.", "years from 14 September 1961"),
        ("The first reviews bring $1.2m.", "$1.2m", "The sum is US$1,187,500.", "rounded"),
        ("It pays €5,000.", "€5,000", "It pays £2,500 twice.", None),
    ],
)  # fmt: skip
def test_a_figure_follows_by_the_cues_and_calendars_of_its_texts(
    sentence: str, figure: str, evidence: str, expected: str | None
) -> None:
    found = how(sentence, figure, evidence)
    assert found is None if expected is None else expected in (found or "")


def test_a_date_without_its_year_is_that_of_a_year_that_the_texts_name() -> None:
    sentence, evidence, nothing = (
        read_facts("The report is due on 17 May."),
        read_facts("14 days after 3 May 2026."),
        read_facts(""),
    )
    assert [follows(DateValue(21, 27, None, 5, day), sentence, sentence, evidence, nothing) for day in (17, 18)] == [
        "3 May 2026 plus 14 days",
        None,
    ]


TABLE = "| Item | Price |\n|---|---|\n| Works | £1,200 |\n| Fees | £300 |\n| **Total** | **{}** |"


@pytest.mark.parametrize(
    ("sentence", "block", "expected"),
    [
        ("£10,300 plus 3% is £10,906.", "", [("£10,906", "£10,609")]),
        ("Six months back from 24 June 2027 is 24 January 2027.", "", [("24 January 2027", "24 December 2026")]),
        ("14 days after 3 May 2026 is 18 May 2026.", "", [("18 May 2026", "17 May 2026")]),
        ("Ninety days from May 3, 2026 is August 2, 2026.", "", [("August 2, 2026", "August 1, 2026")]),
        ("It is payable in three instalments of $4,000, $12,500 in all.", "", [("$12,500", "$12,000")]),
        ("$1.2m plus $300,000 is $1.6m.", "", [("$1.6m", "$1.5m")]),
        ("The hearing is on Wednesday 10 July 2026.", "", [("Wednesday 10 July 2026", "Friday 10 July 2026")]),
        ("; Total; £1,600;", TABLE.format("£1,600"), [("£1,600", "£1,500")]),
        ("; Total; £1,500;", TABLE.format("£1,500"), []),
        ("5% of $100,000 plus $2,000 is $7,000.", "", []),
        ("Within 14 days after 3 May 2026 the fee is due and the hearing is 1 June 2026.", "", []),
        ("10% of £5 is £0.50, and Friday 10 July 2026 is a working day.", "", []),
    ],
)
def test_a_calculation_that_comes_out_otherwise_is_told_with_the_right_value(
    sentence: str, block: str, expected: list[tuple[str, str]]
) -> None:
    assert told(sentence, block) == expected
