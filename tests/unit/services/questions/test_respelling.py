"""A question is put to a document in the document's own words."""

from __future__ import annotations

import pytest

from orderly.services.questions.respelling import respelt, respelt_for


@pytest.mark.parametrize(
    ("question", "text", "put"),
    [
        ("What is due after ten years?", "leave for 10 years of service", "What is due after 10 years?"),
        ("What is due after 10 years?", "ten years of service", "What is due after ten years?"),
        ("What is due after ten years?", "ten years, or 10 years in all", "What is due after ten years?"),
        ("What is due after two weeks?", "within 2 days", "What is due after two weeks?"),
        ("Is notice 0 days?", "one day", "Is notice 0 days?"),
    ],
)
def test_a_number_with_its_unit_is_written_as_in_the_document(question: str, text: str, put: str) -> None:
    assert respelt_for(question, text) == put


@pytest.mark.parametrize("question", ["When must the loans be repaid?", "Is the bond prepaid?", "Who has lodged a caveat?"])
def test_a_word_of_the_language_is_not_corrected(question: str) -> None:
    assert respelt(question) == (question, ())


def test_two_letters_of_a_short_word_may_have_changed_places() -> None:
    assert respelt_for("What is the trem of the lease?", "The term is two years.") == "What is the term of the lease?"
    assert respelt_for("Who pays the rnet?", "The tenant pays the rent.") == "Who pays the rent?"
    assert respelt_for("Is there a form?", "from the date") == "Is there a form?", "a word of the language"
    assert respelt_for("What is the eula?", "The rule is this.") == "What is the eula?", "one letter is another"
