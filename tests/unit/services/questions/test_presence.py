"""Decisions about one document and one question, and the order of several."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orderly.services.documents import ExtractionResult
from orderly.services.engines.local import LocalEngine
from orderly.services.questions import DocumentAnswer, find_subject, in_order, order_of, with_figures
from orderly.services.questions.presence import Certainty, combine, decide_by_extraction, decide_by_subject, without_number
from orderly.services.text import RevisionView

TEXT = "12.1 Insurance. The tenant shall insure the shop. The landlord may inspect the books of the tenant at any time."
INSURE, INSPECT = (16, 49), (50, 111)


def view(text: str = TEXT) -> RevisionView:
    revision = {"id": "r", "paged": False, "health": {}}
    document: Any = {"id": "d", "filename": "Lease.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    row: Any = {"document": {**document, "revision": revision}, "text": text, "pages": [], "sections": []}
    return RevisionView(row)


def extracted(span: tuple[int, int], confidence: float, *, answered: bool) -> ExtractionResult:
    passage = view().passage(*span, score=confidence)
    return ExtractionResult(
        document_name="Lease.txt",
        document_status="ready",
        document_reason="",
        question="?",
        answers=(passage,) if answered else (),
        confidence=confidence,
        inextractability_score=None,
        candidates=(),
        nearest=passage,
        revision=view(),
        engine="",
    )


def known(presence: Certainty, *spans: tuple[int, int]) -> DocumentAnswer:
    return DocumentAnswer("d", "Lease.txt", presence, tuple(view().passage(*span) for span in spans))


@pytest.mark.parametrize(
    ("answered", "confidence", "presence"), [(True, 0.5, "answer"), (False, 0.3, "likely"), (False, 0.15, "none")]
)
def test_a_question_of_no_known_subject_is_likely_only_with_a_confidence_of_its_own(
    answered: bool, confidence: float, presence: str
) -> None:
    found = decide_by_extraction(extracted(INSPECT, confidence, answered=answered))
    assert found.presence == presence
    assert [p.text for p in found.passages] == ([TEXT[slice(*INSPECT)]] if presence != "none" else [])


def test_the_number_of_a_clause_alone_is_no_answer() -> None:
    number, clause = view().passage(0, 4), view().passage(*INSPECT)
    result = replace(extracted(INSPECT, 0.9, answered=True), answers=(number, clause))
    assert [p.text for p in decide_by_extraction(result).passages] == [TEXT[slice(*INSPECT)]]


def test_a_number_alone_is_no_passage_that_comes_nearest() -> None:
    number, clause = view().passage(0, 4), view().passage(*INSPECT)
    result = replace(extracted(INSPECT, 0.1, answered=False), candidates=(number, clause))
    assert [p.text for p in decide_by_extraction(result).nearest] == [TEXT[slice(*INSPECT)]]


def test_the_number_of_a_clause_is_no_part_of_the_quotation() -> None:
    [passage] = decide_by_extraction(extracted((0, 49), 0.9, answered=True)).passages
    assert passage.text == "Insurance. The tenant shall insure the shop."
    assert TEXT[passage.start : passage.end] == passage.text


def test_the_day_of_a_date_is_no_number_of_a_clause() -> None:
    stored = view("28 September 2006 is the date of the decision.")
    assert without_number(stored, stored.passage(0, 17)).text == "28 September 2006"


@pytest.mark.parametrize(
    ("subject", "is_clause", "answered", "confidence", "presence", "texts"),
    [
        (known("answer", INSURE), True, True, 0.9, "answer", 2),
        (known("answer", INSURE), True, True, 0.1, "answer", 1),
        (known("none"), True, True, 0.9, "likely", 1),
        (known("none"), False, True, 0.9, "answer", 1),
        (known("none"), False, True, 0.55, "likely", 1),
        (known("none"), False, False, 0.35, "likely", 1),
        (known("none"), True, False, 0.35, "none", 0),
        (known("none"), True, False, 0.5, "likely", 1),
        (known("likely", INSURE), True, True, 0.9, "likely", 2),
        (known("likely", INSURE), True, False, 0.35, "likely", 2),
        (known("likely", INSURE), True, False, 0.05, "likely", 1),
        (known("none"), True, False, 0.05, "none", 0),
    ],
)
def test_the_subject_and_the_words_of_a_question_decide_together(
    subject: DocumentAnswer, is_clause: bool, answered: bool, confidence: float, presence: str, texts: int
) -> None:
    found = combine(subject, extracted(INSPECT, confidence, answered=answered), is_clause=is_clause)
    assert (found.presence, len(found.passages)) == (presence, texts)


def valued(name: str, value: str) -> DocumentAnswer:
    return DocumentAnswer(name, name, "answer", value=value)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which agreement expires first?", "bca"),
        ("Which of them expires last?", "cba"),
        ("Give me a chronology of the agreements", "bca"),
        ("When do the agreements expire?", None),
    ],
)
def test_documents_are_sorted_by_date_where_the_question_asks_for_it(question: str, expected: str | None) -> None:
    order = order_of(question)
    assert (order is None) is (expected is None)
    if order is not None:
        answers = [valued("a", "perpetual"), valued("b", "2019-08"), valued("c", "2021-01-31")]
        assert "".join(a.document_id for a in in_order(answers, order)) == expected


def test_amounts_without_a_country_are_sorted_by_their_size() -> None:
    assert "".join(a.document_id for a in in_order([valued("a", "$9,500"), valued("b", "$12")], "ascending")) == "ba"


def test_periods_are_sorted_by_their_length() -> None:
    answers = [valued("a", "P2Y"), valued("b", "P90D"), valued("c", "P18M")]
    assert "".join(a.document_id for a in in_order(answers, "ascending")) == "bca"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which has the highest cap on damages?", "bac"),
        ("Sort the leases by yearly rent", "abc"),
        ("Which pays the smallest deposit?", "abc"),
        ("Which of them has the larger cap on damages?", "bac"),
        ("When do the agreements expire?", None),
    ],
)
def test_documents_are_sorted_by_amount_where_the_question_asks_for_it(question: str, expected: str | None) -> None:
    texts = {
        "a": "not more than A$90,000 in all, and A$10 a day",
        "b": "up to A$1.5 million",
        "c": "no more than the fees paid",
    }
    answers = [DocumentAnswer(id, id, "answer", (replace(view().passage(0, 9), text=text),)) for id, text in texts.items()]
    order = order_of(question)
    assert (order is None) is (expected is None)
    if order is not None:
        found = in_order(with_figures(answers, question), order)
        assert "".join(a.document_id for a in found) == expected
        assert {a.document_id: a.value for a in found} == {"a": "AUD 90,000", "b": "AUD 1,500,000", "c": ""}


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("What notice ends each agreement?", "Either side may end this on 30 days' notice.", "P30D"),
        ("Which has the longest notice period?", "You may leave on three months' notice, or in 14 days after a breach.", ""),
        ("How many days does each buyer have to pay?", "The Buyer pays $100 a year within 30 days of an invoice.", "P30D"),
        ("How much is the deposit under each lease?", "The deposit is A$4,000.", "AUD 4,000"),
        ("How much is the deposit under each lease?", "The deposit is $4,000.", "$4,000"),
        ("How much is the deposit under each lease?", "The deposit is A$4,000, of which A$1,000 is paid now.", ""),
        ("Who must insure under each lease?", "The Tenant insures for A$4,000 within 30 days.", ""),
    ],
)
def test_the_only_period_or_amount_that_an_answer_states_is_its_value(question: str, text: str, value: str) -> None:
    answer = DocumentAnswer("d", "d", "answer", (replace(view().passage(0, 9), text=text),))
    assert [a.value for a in with_figures([answer], question)] == [value]


def test_a_period_that_stands_there_is_shown_rather_than_the_date_at_its_end() -> None:
    passage = replace(view().passage(0, 9), text="It starts on 1 March 2024 and continues for 5 years.")
    answer = replace(valued("d", "2029-03-01"), passages=(passage,), computed=True)
    [found] = with_figures([answer], "How long is the term of each agreement?")
    assert (found.value, found.computed) == ("P5Y", False)
    assert with_figures([answer], "When does each agreement end?") == [answer]


@pytest.mark.parametrize(
    ("asked", "place", "presence"),
    [
        ("governed by the law of Texas", "Texas", "answer"),
        ("governed by the law of Texas", "Ohio", "none"),
        ("not governed by the law of Texas", "Texas", "none"),
        ("not governed by the law of Texas", "Ohio", "answer"),
    ],
)
async def test_a_law_that_is_asked_for_or_excepted_is_compared_with_the_documents(
    asked: str, place: str, presence: Certainty
) -> None:
    found = await find_subject(LocalEngine(), f"Which agreements are {asked}?")
    assert found is not None
    decided = await decide_by_subject(LocalEngine(), view(f"1. This Agreement is governed by the laws of {place}."), found)
    assert decided is not None
    assert decided.presence == presence


CONTRACT = "CONTRACT\n\n1. Position\nThe Employee is employed as head chef.\n\n2. Notice\n{}\n\n3. Law\nThe laws of Victoria govern it.\n"


@pytest.mark.parametrize(
    ("clause", "presence"),
    [
        ("Either party may end the employment by giving four weeks' notice in writing.", "likely"),
        ("You may end your employment on two weeks' notice.", "likely"),
        ("The Employer may terminate the Employee's employment by giving one month's written notice.", "answer"),
        ("The employment may be ended by either party on not less than three months' notice.", "likely"),
        ("The term ends on 30 June 2027.", "none"),
        ("Notices must be given in writing within five days.", "none"),
    ],
)
async def test_the_end_of_an_employment_by_notice_is_found(clause: str, presence: str) -> None:
    subject = await find_subject(LocalEngine(), "What notice must be given to end the employment?")
    assert subject is not None and subject.name == "termination for convenience"
    decided = await decide_by_subject(LocalEngine(), view(CONTRACT.format(clause)), subject)
    assert decided is not None
    assert decided.presence == presence


async def test_a_clause_in_plain_drafting_answers_as_it_does_in_a_review() -> None:
    text = (
        "Your job\n\nWe pay you every fortnight.\n\nFor six months after your last day you must not work for any business "
        "that sells bicycles in Hobart in competition with us.\n\nYou get four weeks of leave a year.\n"
    )
    subject = await find_subject(LocalEngine(), "Which of these documents restrict someone from competing?")
    assert subject is not None and subject.name == "non-compete"
    answer = await decide_by_subject(LocalEngine(), view(text), subject)
    assert answer is not None and answer.presence == "answer"
    assert [p.text for p in answer.passages] == [
        "For six months after your last day you must not work for any business that sells bicycles in Hobart in competition with us."
    ]


async def test_a_law_of_a_state_is_one_of_its_country() -> None:
    subject = await find_subject(LocalEngine(threads=1), "Which leases are governed by Australian law?")
    assert subject is not None
    text = "LEASE. This lease is governed by the law of {}. The parties submit to its courts."
    found = [await decide_by_subject(LocalEngine(threads=1), view(text.format(p)), subject) for p in ("Victoria", "Ohio")]
    assert [answer.presence for answer in found if answer] == ["answer", "none"]


@pytest.mark.parametrize("mark", ["* (a) ", "• ", "2.1 ", "* "])
def test_the_mark_of_a_list_is_no_part_of_the_quotation(mark: str) -> None:
    stored = view(f"{mark}The State pays for the works.")
    assert without_number(stored, stored.passage(0, len(stored.text))).text == "The State pays for the works."
