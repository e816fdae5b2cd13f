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


def quoted(answer: str) -> list[str]:
    return [quotation.text for quotation in quotations(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It says “notice shall be given in writing...” and so on.", ["notice shall be given in writing"]),
        ('It says "payable within thirty days", but "short" proves nothing.', ["payable within thirty days"]),
        ("“A pays $9 (the “Penalty”) to B” [x.pdf, Page 2]", ["A pays $9 (the “Penalty”) to B"]),
        ('"A pays nine (the "Penalty") to B" [x.pdf]', ['A pays nine (the "Penalty") to B']),
        ("> A pays nine thousand\n> dollars to B.\n\nSo it says.", ["A pays nine thousand\ndollars to B."]),
        ("«la somme de neuf mille euros»", ["la somme de neuf mille euros"]),
        ("It runs for “ten years” [lease.pdf, Page 3].", ["ten years"]),
        ("It runs for “ten years” (see above).", []),
        ('The pipe is 6" wide and the text says "this Agreement is a deed".', ["this Agreement is a deed"]),
        ("It says “this is never closed and runs on\n\nNext paragraph.", ["this is never closed and runs on"]),
        ("He said ‘the parties’ rights are limited’ here.", ["the parties’ rights are limited"]),
        ("The parties’ rights and the Lessor's duties stand.", []),
        ("“one join ... of two places here”", ["one join ... of two places here"]),
    ],
)
def test_every_way_of_quoting_is_seen(answer: str, expected: list[str]) -> None:
    assert quoted(answer) == expected


@pytest.mark.parametrize(
    ("bracket", "page"),
    [
        ("[Lease.pdf, Page 3]", 3),
        ("[Lease.pdf, Section 14.3, Page 3]", 3),
        ("([Lease.pdf, Page 3])", 3),
        ("— [Lease.pdf, Pages 3-4, Section 2 (Rent (monthly))]", 3),
        ("(Lease.pdf, Page 3)", 3),
        ("[Lease.docx, Section 2]", None),
        ("[Lease.[signed].pdf, Page 3]", 3),
    ],
)
def test_a_citation_is_read_in_whatever_form_it_stands(bracket: str, page: int | None) -> None:
    [quotation] = quotations(f"It says “notice shall be given in writing” {bracket}.")
    assert quotation.cited.startswith("Lease.")
    assert quotation.page == page


def test_what_does_not_stand_is_removed_and_what_stands_remains() -> None:
    answer = "A “true words of the contract” [D.pdf, Page 1]; B “invented words of nobody” [D.pdf, Page 2]."
    true, false = quotations(answer)
    shown = judge(answer, [Verdict(true, True), Verdict(false, False)])
    assert "true words of the contract" in shown
    assert "invented" not in shown
    assert UNVERIFIED in shown


def test_a_wrong_place_is_put_right() -> None:
    answer = "A “true words of the contract” [D.pdf, Page 1]."
    shown = judge(answer, [Verdict(quotations(answer)[0], True, "D.pdf, Page 7, Section 2 (Rent)")])
    assert shown == "A “true words of the contract” [D.pdf, Page 7, Section 2 (Rent)]."


def test_the_users_own_words_stay_readable_and_are_marked_as_theirs() -> None:
    answer = "Nothing is said about “ransomware and cyber insurance”."
    shown = judge(answer, [Verdict(quotations(answer)[0], False)], ["Is there anything on ransomware and cyber insurance?"])
    assert "“ransomware and cyber insurance”" + ASKED_ONLY in shown
