"""The meaning of a term: which questions ask for it, and the sentence that gives it."""

from __future__ import annotations

import pytest

from orderly.services.questions.definitions import asked_term, definition_of

TEXT = """\
Item 6  Rent: $84,000 per annum plus GST

1.1 In this Lease: "Business Day" means a weekday. "Outgoings" or "Costs" means rates and
land tax. “Premises” has the meaning in Item 1.

Harbour Pty Ltd lets the shop to Bloom Pty Ltd (the "Lessee") from today.

(a) the definition is replaced with: "Liability Cap means $5."

  * addressee of a message means its reader.
  * insolvency event: an insolvency event happens to an employer.
"""


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("read me the definition of Outgoings", ("Outgoings", True)),
        ('What does "Business Day" mean in this lease?', ("Business Day", True)),
        ("how does the lease define Permitted Use", ("Permitted Use", True)),
        ("define insolvency event", ("insolvency event", True)),
        ("What does award include?", ("award", True)),
        ("What is an Event of Default?", ("Event of Default", False)),
        ("How is the rent paid?", ("", False)),
    ],
)
def test_a_question_for_a_meaning_names_its_term(question: str, asked: tuple[str, bool]) -> None:
    assert asked_term(question) == asked


@pytest.mark.parametrize(
    ("term", "begins"),
    [
        ("outgoings", '"Outgoings" or "Costs" means rates and\nland tax.'),
        ("Premises", "“Premises” has the meaning in Item 1."),
        ("Lessee", "Harbour Pty Ltd lets the shop"),
        ("Liability Cap", "Liability Cap means $5."),
        ("addressee", "addressee of a message means its reader."),
        ("insolvency event", "insolvency event: an insolvency event happens"),
        ("rent", "Item 6  Rent: $84,000 per annum plus GST"),
        ("goodwill", ""),
    ],
)
def test_the_sentence_that_defines_a_term_is_found(term: str, begins: str) -> None:
    span = definition_of(TEXT, term)
    assert (TEXT[slice(*span)] if span else "").startswith(begins) and bool(span) == bool(begins)


ACT = """\
3—Interpretation

(1) In this Act, unless the contrary intention appears—

adjudication response means a response referred to in section 20;

adjudicator, in relation to an adjudication application, means the person appointed to determine it;

business day means any day other than—

(a) a Sunday; or

(b) a public holiday;

construction work—see section 5;

* independent contractor is not limited to a natural person.

the relevant date means the day on which leave begins;

worker means a person employed under a contract of service.
"""


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("adjudicator", "adjudicator, in relation to an adjudication application, means the person appointed to determine it;"),
        ("business day", "business day means any day other than—\n\n(a) a Sunday; or\n\n(b) a public holiday;"),
        ("construction work", "construction work—see section 5;"),
        ("independent contractor", "independent contractor is not limited to a natural person."),
        ("relevant date", "the relevant date means the day on which leave begins;"),
        ("worker", "worker means a person employed under a contract of service."),
    ],
)
def test_a_definition_of_an_act_ends_before_the_next_one(term: str, words: str) -> None:
    span = definition_of(ACT, term)
    assert span and ACT[slice(*span)] == words


def test_a_term_in_quotation_marks_may_be_said_to_be_something() -> None:
    text = "The parties agree on a rate. The “Discount Rate” is 5%. The Discount Rate is not defined elsewhere."
    assert text[slice(*(definition_of(text, "discount rate") or (0, 0)))] == "“Discount Rate” is 5%."
    assert definition_of("The “Rate” is defined nowhere, and it is high.", "price") is None
