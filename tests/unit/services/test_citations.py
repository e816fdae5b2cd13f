from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderly.services.citations import ASKED_ONLY, UNVERIFIED, Verdict, find, judge, quotations

CLAUSE = (
    "12.1 Termination. Either party may terminate this Agree-\nment by giving not less than ninety (90) days’ written "
    "notice.\n\nThe Distributor shall not disclose “Confidential Information” – or any part of it – to a non-\ncompete party. The eﬃcient oﬀices of the ﬁrst floor are let."
)


@pytest.mark.parametrize(
    "quote",
    [
        "Either party may terminate this Agreement by giving not less than ninety (90) days' written notice.",
        "ninety  (90)\n days’ written notice",
        'shall not disclose "Confidential Information" - or any part of it - to',
        "to a non-compete party",
        "to a noncompete party",
        "may termi-\n  nate this Agreement",
        "effi\u00adcient offices of the first ﬂoor",
    ],
)
def test_a_true_quotation_is_found_in_whatever_form_it_was_typed(quote: str) -> None:
    span = find(quote, CLAUSE)
    assert span is not None
    assert find(quote, CLAUSE[slice(*span)]) is not None


@pytest.mark.parametrize(
    "quote",
    [
        "Either party may terminate this Agreement by giving not less than sixty (60) days' written notice.",
        "The Distributor shall disclose",
        "Either Party may terminate",
        "Either party may terminate ... written notice.",
        "The Supplier shall not disclose",
        "ninety (90) day's written notice",
    ],
)
def test_an_altered_quotation_is_not_found(quote: str) -> None:
    assert find(quote, CLAUSE) is None


def test_offsets_point_into_the_original_text() -> None:
    start, end = find("this Agreement by giving", CLAUSE) or (0, 0)
    assert CLAUSE[start:end] == "this Agree-\nment by giving"


def test_the_occurrence_on_the_asked_page_is_taken() -> None:
    text = "notice is given in writing\fnotice is given in writing"
    assert find("notice is given", text, touching=(27, 53)) == (27, 42)
    assert find("notice is given", text, touching=(0, 26)) == (0, 15)


@given(st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1), st.data())
def test_every_slice_of_a_text_stands_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    if quote.strip():
        assert find(quote, text) is not None


def test_quotations_are_read_from_both_kinds_of_marks_without_marks_of_omission() -> None:
    answer = 'It says “notice shall be given in writing...” and "payable within thirty days", but "short" proves nothing.'
    assert [q.text for q in quotations(answer)] == ["notice shall be given in writing", "payable within thirty days"]


def test_what_does_not_stand_is_removed_and_what_stands_remains() -> None:
    answer = "A “true words of the contract” [D, Page 1]; B “invented words of nobody” [D, Page 2]."
    true, false = quotations(answer)
    shown = judge(answer, [Verdict(true, True), Verdict(false, False)])
    assert "true words of the contract" in shown
    assert "invented" not in shown
    assert UNVERIFIED in shown


def test_the_users_own_words_stay_readable_and_are_marked_as_theirs() -> None:
    answer = "Nothing is said about “ransomware and cyber insurance”."
    shown = judge(answer, [Verdict(quotations(answer)[0], False)], ["Is there anything on ransomware and cyber insurance?"])
    assert "“ransomware and cyber insurance”" + ASKED_ONLY in shown
