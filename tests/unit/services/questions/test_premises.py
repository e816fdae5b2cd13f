"""A decision about a document is held to the question's own words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orderly.services.engines.local import stem, stems
from orderly.services.questions import Subject
from orderly.services.questions.objects import names
from orderly.services.questions.premises import held_to_question
from orderly.services.questions.presence import DocumentAnswer, without_number
from orderly.services.questions.quantities import may_state, wanted_quantity
from orderly.services.text import RevisionView

GRANT = "Each author grants you a licence to copy and change the work."
DENIED = "Nothing here grants any right in a trademark or logo of an author."
FILLER = " ".join(f"Matter {n} is dealt with by the committee of the seaside village in the usual manner." for n in range(20))
TEXT = f"{GRANT}\n\n{FILLER}\n\n{DENIED}\n\nA fee for storage of bicycles is due on arrival."
LICENCE = Subject("license grant", "", weight=0.9)


def view(text: str = TEXT, sections: Any = ()) -> RevisionView:
    document: Any = {"id": "d", "filename": "Work.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": text, "pages": [], "sections": list(sections)}
    return RevisionView(row)


GRANTED = DocumentAnswer("d", "Work.txt", "answer", (view().passage(0, len(GRANT)),))
NOTHING = DocumentAnswer("d", "Work.txt", "none")


def test_what_denies_the_premise_comes_first_and_neither_is_confirmed() -> None:
    found = held_to_question(GRANTED, view(), "Why are rights in a trademark granted?", GRANTED, LICENCE)
    assert (found.presence, [p.text for p in found.passages]) == ("likely", [DENIED, GRANT])


@pytest.mark.parametrize("question", ["Is there a licence to copy the work?", "May I change the work?"])
def test_an_answer_that_speaks_of_what_is_asked_is_confirmed(question: str) -> None:
    assert held_to_question(GRANTED, view(), question, GRANTED, LICENCE) is GRANTED


def test_an_answer_is_not_confirmed_if_the_document_has_what_is_asked_elsewhere() -> None:
    found = held_to_question(GRANTED, view(), "Which bicycles may be kept in storage?", GRANTED, LICENCE)
    assert (found.presence, [p.text for p in found.passages]) == ("likely", [GRANT])


def test_a_sentence_that_says_all_that_is_asked_about_is_likely_where_nothing_was_found() -> None:
    found = held_to_question(NOTHING, view(), "Is storage of bicycles free?", None, None)
    assert found.presence == "none"  # "free" is said nowhere
    found = held_to_question(NOTHING, view(), "What is due for the storage of bicycles?", None, None)
    assert (found.presence, [p.text for p in found.passages]) == (
        "likely",
        ["A fee for storage of bicycles is due on arrival."],
    )


def test_of_many_documents_a_passage_that_leaves_most_unsaid_is_only_near() -> None:
    likely = replace(GRANTED, presence="likely")
    question = "Is the copy of the work insured against theft of bicycles from storage on arrival?"
    assert held_to_question(likely, view(), question, None, None).presence == "likely"
    found = held_to_question(likely, view(), question, None, None, of_many=True)
    assert (found.presence, found.passages, [p.text for p in found.nearest]) == ("none", (), [GRANT])


INSURED = "The operator keeps insurance of the pier as the committee directs."
BURNT = "Loss of a bicycle by fire is made good by the committee in full."
INSURANCE = Subject("insurance", "", weight=0.3)


@pytest.mark.parametrize(
    ("text", "presence", "shown"), [(f"{INSURED}\n\n{FILLER}\n\n{BURNT}", "likely", [BURNT]), (INSURED, "none", [])]
)
def test_of_many_documents_a_clause_of_a_doubtful_subject_gives_way_to_what_is_asked(
    text: str, presence: str, shown: list[str]
) -> None:
    own = view(text)
    clause = DocumentAnswer("d", "Work.txt", "likely", (own.passage(0, len(INSURED)),))
    question = "Which documents cover a fire?"
    found = held_to_question(clause, own, question, clause, INSURANCE, of_many=True)
    assert (found.presence, [p.text for p in found.passages]) == (presence, shown)
    assert held_to_question(clause, own, question, clause, INSURANCE).passages == clause.passages


def test_a_sum_that_somebody_receives_is_likely_what_is_paid() -> None:
    pay = "The Employee receives a yearly sum of $90,000 for the work."
    own = view(f"{pay}\n\n{FILLER}")
    near = DocumentAnswer("d", "Work.txt", "none", nearest=(own.passage(0, len(pay)),), confidence=0.1)
    for question, presence in (("How much is the employee paid?", "likely"), ("How much is the broker paid?", "none")):
        assert held_to_question(near, own, question, None, None, thorough=True).presence == presence


def test_it_is_only_the_nearest_passage_where_the_subject_is_known_to_be_absent() -> None:
    found = held_to_question(NOTHING, view(), "What is due for the storage of bicycles?", NOTHING, LICENCE)
    assert (found.presence, [p.text for p in found.nearest]) == ("none", ["A fee for storage of bicycles is due on arrival."])


def test_the_nearest_passage_speaks_of_what_is_asked() -> None:
    found = held_to_question(NOTHING, view(), "Must the bicycles be insured?", NOTHING, LICENCE)
    assert (found.presence, [p.text for p in found.nearest]) == ("none", ["A fee for storage of bicycles is due on arrival."])


def test_a_grant_that_only_mentions_what_is_denied_does_not_confirm_the_premise() -> None:
    near = f"{GRANT} Logo and trademark are dealt with below."
    text = TEXT.replace(GRANT, near)
    shown = view(text).passage(0, len(GRANT))
    granted = DocumentAnswer("d", "Work.txt", "answer", (shown,))
    found = held_to_question(granted, view(text), "Why are rights in a trademark granted?", granted, LICENCE)
    assert (found.presence, found.passages[0].text) == ("likely", DENIED)


def test_an_extracted_answer_that_leaves_most_of_the_question_unsaid_is_not_confirmed() -> None:
    question = "Must the author hold the manuscript in a vault?"
    found = held_to_question(GRANTED, view(), question, None, None)
    assert (found.presence, [p.text for p in found.passages]) == ("likely", [GRANT])
    assert held_to_question(GRANTED, view(), "What may I do with the work of an author?", None, None) is GRANTED


@pytest.mark.parametrize("number", ["**5.1** ", "5.1 ", "### 5.1 ", "(b) ", "Clause 5. ", "C) ", "(AB) ", "15—"])
def test_the_number_of_a_clause_is_no_part_of_its_words(number: str) -> None:
    stored = view(f"{number}{GRANT}")
    shown = without_number(stored, stored.passage(0, len(stored.text)))
    assert shown.text == GRANT


@pytest.mark.parametrize("presence", ["answer", "likely"])
def test_words_that_speak_of_nothing_asked_about_are_only_near(presence: Any) -> None:
    said = DocumentAnswer("d", "Work.txt", presence, GRANTED.passages)
    found = held_to_question(said, view(), "Can the owner relocate us?", None, None)
    assert (found.presence, found.passages, [p.text for p in found.nearest]) == ("none", (), [GRANT])
    found = held_to_question(said, view(), "May the owner copy the work?", None, None)
    assert found is said, "that no word says who owns it does not count"


def test_a_sentence_that_says_who_and_what_is_likely_where_nothing_was_found() -> None:
    permits = "The owner agrees that the tenant may sublet the premises."
    found = held_to_question(NOTHING, view(f"{TEXT}\n\n{permits}"), "Which documents let a tenant sublet?", None, None)
    assert (found.presence, [p.text for p in found.passages]) == ("likely", [permits])


NEAR = DocumentAnswer("d", "Work.txt", "none", nearest=(view().passage(TEXT.index("A fee"), len(TEXT)),), confidence=0.1)


@pytest.mark.parametrize(
    ("question", "thorough", "presence"),
    [
        ("When is something due for bicycles kept by the committee?", True, "likely"),
        ("When is something due for bicycles kept by the committee?", False, "none"),  # of many documents
        ("How much is the fee for bicycles kept by the committee?", True, "none"),  # no sum is stated
        ("Who kept a photograph of the committee?", True, "none"),
    ],
)
def test_the_nearest_provision_of_one_document_is_likely_if_it_says_part_of_what_is_asked(
    question: str, thorough: bool, presence: str
) -> None:
    assert held_to_question(NEAR, view(), question, None, None, thorough=thorough).presence == presence


def test_a_word_that_stands_in_one_sentence_tells_what_is_asked_about() -> None:
    asked = "What does the agreement say about {}?"
    found = held_to_question(NOTHING, view(), asked.format("bicycles"), None, None, thorough=True)
    assert (found.presence, len(found.passages)) == ("likely", 1)
    assert held_to_question(NOTHING, view(), asked.format("bicycles"), None, None).presence == "none"  # of many documents
    assert held_to_question(NOTHING, view(), asked.format("villages"), None, None, thorough=True).presence == "none"


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("7.2 ", "Clause 7.1 does not limit liability for death."),
        ("8. Expenses ", "The Company pays the travel of the Executive."),
        ("19 Post Termination Restrictions ", "During the term the Executive stays away."),
        ("6 Governing Law ", "This Agreement is governed by the law of Ohio."),
        ("9. Termination 9.1 ", "The Client may end this agreement at any time."),
        ("17. ", "Acme Holdings of Perth is the Supplier of the goods."),
        ("", "Acme Holdings The Bakery is the Supplier of the goods."),
    ],
)
def test_a_title_on_the_line_of_its_clause_is_no_part_of_a_quotation(before: str, words: str) -> None:
    stored = view(before + words)
    assert without_number(stored, stored.passage(0, len(stored.text))).text == words


def test_the_title_of_a_section_is_no_part_of_a_quotation() -> None:
    text = "28 Claimant may suspend work\n(1) A claimant may suspend the work."
    section: Any = {"id": "s", "label": "28", "title": "Claimant may suspend work", "start": 0, "end": len(text), "level": 1}
    stored = view(text, [section])
    assert without_number(stored, stored.passage(0, len(text))).text == "A claimant may suspend the work."


def test_a_sure_extraction_in_other_words_is_likely_in_one_document() -> None:
    sure = replace(GRANTED, confidence=0.3)
    question = "Is plagiarism tolerated?"
    assert held_to_question(sure, view(), question, None, None, thorough=True).presence == "likely"
    assert held_to_question(sure, view(), question, None, None).presence == "none"


@pytest.mark.parametrize(
    ("question", "quantity"),
    [
        ("How many days' leave does she get?", "period"),
        ("How much notice must the company give?", "period"),
        ("How long does it last?", "duration"),
        ("How much does the tenant pay?", "money"),
        ("What is the monthly rent?", "money"),
        ("What is the royalty rate?", "share"),
        ("How many votes does a member have?", None),
        ("What is the rental car policy?", None),
    ],
)
def test_a_question_asks_for_a_kind_of_figure(question: str, quantity: str | None) -> None:
    assert wanted_quantity(question) == quantity


def test_a_passage_states_a_figure_or_says_where_it_stands() -> None:
    assert may_state("duration", "within thirty (30) days") and may_state("money", "the Rent in Item 7")
    assert not may_state("duration", "The Company may end the employment.") and not may_state("share", "190 shares")


def test_a_heading_alone_is_not_what_the_document_says() -> None:
    text = "8 Sailing at night\n8.1 The boat stays in the harbour of the village after dark."
    section: Any = {"id": "s", "label": "8", "title": "Sailing at night", "start": 0, "end": len(text), "level": 1}
    found = held_to_question(NOTHING, view(text, [section]), "What about sailing?", None, None, thorough=True)
    assert (found.presence, [p.text for p in found.nearest]) == ("none", [])


def test_what_leaves_unsaid_what_a_later_passage_says_is_not_shown_before_it() -> None:
    text = view().text
    fee = text.index("A fee")
    both = replace(GRANTED, passages=(view().passage(0, len(GRANT)), view().passage(fee, len(text))))
    found = held_to_question(both, view(), "Is storage of bicycles free on arrival?", both, LICENCE, thorough=True)
    assert [p.text for p in found.passages] == ["A fee for storage of bicycles is due on arrival."]


def test_the_sentence_with_the_very_word_comes_before_one_with_another_word_for_it() -> None:
    costs, outgoings = "Each party pays its own legal costs.", "You must also pay your share of the Outgoings of the Centre."
    lease = view(f"{costs}\n\n{FILLER}\n\n{outgoings}")
    extracted = DocumentAnswer("d", "Work.txt", "answer", (lease.passage(0, len(costs)),))
    found = held_to_question(extracted, lease, "Who pays the outgoings?", None, None)
    assert (found.presence, [p.text for p in found.passages]) == ("likely", [outgoings, costs])


@pytest.mark.parametrize(
    ("asked", "said", "is_named"),
    [
        ("repaid", "You must repay everything.", True),
        ("lent", "We lend you the money.", True),
        ("covenant", "The Borrower is Blue Gum Dairy Pty Ltd.", False),  # "borrower must"
        ("bankrupt", "The Customer pays within 14 days of receiving an invoice.", False),  # no receiver
    ],
)
def test_words_for_what_is_asked_about_are_known_in_other_forms_and_mean_that_alone(
    asked: str, said: str, is_named: bool
) -> None:
    assert names(stem(asked), frozenset(stems(said))) is is_named


SECURED = "The Supplier must tell the Customer within 24 hours after it learns of a security incident."
HEARD = DocumentAnswer(
    "d", "Work.txt", "none", nearest=(view(f"{SECURED}\n\n{FILLER}").passage(0, len(SECURED)),), confidence=0.08
)


def test_the_nearest_provision_is_likely_if_it_says_what_is_asked_in_an_expression_of_the_same_meaning() -> None:
    text = f"{SECURED}\n\n{FILLER}"
    asked = ("How quickly must a data breach be reported?", "How quickly must a strike be reported?")
    found = [held_to_question(HEARD, view(text), question, None, None, thorough=True).presence for question in asked]
    assert found == ["likely", "none"]


def test_a_question_of_small_words_is_answered_by_the_nearest_provision_with_the_figure() -> None:
    text = f"You must pay within 21 days.\n\n{FILLER}"
    near = DocumentAnswer("d", "Work.txt", "none", nearest=(view(text).passage(0, 28),), confidence=0.08)
    assert held_to_question(near, view(text), "How long do I have to pay?", None, None, thorough=True).presence == "likely"


@pytest.mark.parametrize(
    ("question", "presence"),
    [("Which documents mention a trademark?", "answer"), ("Which documents mention a famous trademark?", "none")],
)
def test_a_word_that_is_only_looked_for_is_found_where_it_stands(question: str, presence: str) -> None:
    assert held_to_question(NOTHING, view(), question, None, None).presence == presence


@pytest.mark.parametrize(("text", "states"), [("It is paid fortnightly.", True), ("It is paid in cash.", False)])
def test_how_often_is_answered_by_a_frequency(text: str, states: bool) -> None:
    quantity = wanted_quantity("How often is the salary paid?")
    assert quantity == "frequency" and may_state(quantity, text) is states
