from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import repeat
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orderly.services.text.quotations import PieceReader, find_citations, find_complete_ends, find_quotations
from orderly.services.text.quote_matching import compile_quote_pattern, cuts_words, find_cut_occurrence, find_occurrences
from support.lease import LEASE

CLAUSE = (
    "12.1 Termination. Either party may terminate this Agree-\nment by giving not less than ninety (90) days’ written "
    "notice.\n\nThe Distributor shall not disclose “Confidential Information” – or any part of it – to a non-\ncompete party. The eﬃcient oﬀices of the ﬁrst floor are let."
)


def first_occurrence(quote: str, text: str) -> tuple[int, int] | None:
    return next(find_occurrences(quote, text), None)


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
def test_a_true_quotation_is_found_despite_typographic_differences(quote: str) -> None:
    span = first_occurrence(quote, CLAUSE)
    assert span is not None
    assert first_occurrence(quote, CLAUSE[slice(*span)]) is not None


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
    assert first_occurrence(quote, CLAUSE) is None


def test_offsets_point_into_the_original_text() -> None:
    start, end = first_occurrence("this Agreement by giving", CLAUSE) or (0, 0)
    assert CLAUSE[start:end] == "this Agree-\nment by giving"


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1), st.data())
def test_every_slice_of_a_text_is_found_unless_it_cuts_a_word(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    if quote.strip():
        at = start + len(quote) - len(quote.lstrip())
        cut = cuts_words(text, at, at + len(quote.strip()))
        assert cut or first_occurrence(quote, text) is not None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("lawful use of the mark", "any unlawful use of the mark"),
        ("shall pay $1", "shall pay $1,000 at once"),
        ("a rate of 8", "a rate of 8% a year"),
        ("compete clause of the deed", "a non-compete clause of the deed"),
        ("000 dollars are due", "1,000 dollars are due"),
        ("5 degrees or less", "at -5 degrees or less"),
        ("as set out in clause 12", "as set out in clause 12.1"),
        ("as set out in clause 12.", "as set out in clause 12.1"),
        ("to this Agree", "to this Agree-\nment"),
        ("the Lessee", "the Lessee's goods"),
        ("this agreement term", "this agreement terminates"),
    ],
)
def test_a_quotation_that_cuts_a_word_or_number_is_not_found(quote: str, text: str) -> None:
    assert first_occurrence(quote, text) is None
    assert find_cut_occurrence(quote, text) is not None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("the Lessor pays", "Of the two—the Lessor pays—one is"),
        ("Term of the lease", "1.Term of the lease"),
        ("in the year 2019", "in the year 2019, or later"),
        ("a non-\nexclusive licence", "a non-exclusive licence"),
        ("a non-\nexclusive licence", "a nonexclusive licence"),
    ],
)
def test_a_quotation_may_touch_dashes_numbers_and_marks(quote: str, text: str) -> None:
    assert first_occurrence(quote, text) is not None


def quoted(answer: str) -> list[str]:
    return [quotation.text for quotation in find_quotations(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It says “notice shall be given in writing...” and so on.", ["notice shall be given in writing"]),
        ('It says "payable within thirty days", but "short" proves nothing.', ["payable within thirty days", "short"]),
        ("“A pays $9 (the “Penalty”) to B” [x.pdf, Page 2]", ["A pays $9 (the “Penalty”) to B"]),
        ('"A pays nine (the "Penalty") to B" [x.pdf]', ['A pays nine (the "Penalty") to B']),
        ("> A pays nine thousand\n> dollars to B.\n\nSo it says.", ["A pays nine thousand\ndollars to B."]),
        ("«la somme de neuf mille euros»", ["la somme de neuf mille euros"]),
        ("It runs for “ten years” [lease.pdf, Page 3].", ["ten years"]),
        ("It runs for “ten years” (see above).", ["ten years"]),
        ('The pipe is 6" wide and the text says "this Agreement is a deed".', ["this Agreement is a deed"]),
        ("It says “this is never closed and runs on\n\nNext paragraph.", ["this is never closed and runs on"]),
        ("He said ‘the parties’ rights are limited’ here.", ["the parties’ rights are limited"]),
        ("The parties’ rights and the Lessor's duties stand.", []),
        ("“one join ... of two places here”", ["one join ... of two places here"]),
        ("It says 'the term of the lease is seven years'.", ["the term of the lease is seven years"]),
        ("The lessee's and the lessor's goods, six years' rent.", []),
        ("‹les parties conviennent› and 「all of it here」", ["les parties conviennent", "all of it here"]),
        ("<q>shall be paid in advance</q> and <blockquote>a deed</blockquote>", ["shall be paid in advance", "a deed"]),
        ("`shall be paid in advance` [lease.pdf, Page 3]", ["shall be paid in advance"]),
        ("Open `lease.pdf` and run `make test now`.", []),
        ("> “It is a deed of the parties.”\n\nSo it says.", ["It is a deed of the parties."]),
    ],
)
def test_all_quotation_styles_are_recognised(answer: str, expected: list[str]) -> None:
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
def test_citations_are_parsed_in_all_forms(bracket: str, page: int | None) -> None:
    [quotation] = find_quotations(f"It says “notice shall be given in writing” {bracket}.")
    assert quotation.cited.startswith("Lease.")
    assert quotation.page == page


def test_citations_without_a_quotation_are_recognised() -> None:
    answer = "Rent is monthly [Lease.pdf, Page 3]. “A deed of the parties” [Deed.pdf, Page 1]. See [Page 2] and [link.pdf](x)."
    assert [c.cited for c in find_citations(answer)] == ["Lease.pdf, Page 3", "Page 2"]


@pytest.mark.parametrize(
    ("written", "releasable"),
    [
        ("It ends on notice", ""),
        ("It ends on notice. ", ""),
        ("It ends on notice. T", "It ends on notice. "),
        ("It says “a deed. And", ""),
        ("It says “a deed.” [lease.pdf, Page 3]. N", "It says “a deed.” [lease.pdf, Page 3]. "),
        ("It says “a deed.” [lease.pdf", ""),
        ("It says “a deed.” ", ""),
        ("It says “a deed.” (", ""),
        ("One line\nTwo", "One line\n"),
        ("> a deed. And\n> more", ""),
        ("> a deed. And\n\n[lease.pdf, Page 3]\n\nSo", "> a deed. And\n\n[lease.pdf, Page 3]\n\n"),
        ("First. ‘The parties’ rights. And", "First. "),
        ("First. It says 'the parties. And", "First. "),
        ("First. `code. And", "First. "),
        ('He says "a deed. And', ""),
        ('He says "a deed." And', 'He says "a deed." '),
        ("Items:\n- one.\n- two", "Items:\n- one.\n"),
    ],
)
def test_an_incomplete_sentence_or_quotation_is_held_back(written: str, releasable: str) -> None:
    assert written[: max(find_complete_ends(written), default=0)] == releasable


PIECES = [
    *'ab .“”"’', "not", "\n", "\n\n", ". ", " [Lease.pdf, Page 3]", "“A deed.” ", " (see Page 2) ", "\n> a deed. b\n",
]  # fmt: skip


def pieces_of(answer: str, steps: Iterator[int]) -> list[str]:
    reader, at = PieceReader(), 0
    pieces: list[str] = []
    while at < len(answer):
        step = next(steps)
        pieces += reader.divide() if reader.add(answer[at : at + step]) else []
        at += step
    return [*pieces, *reader.rest()]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.data())
def test_released_pieces_hold_the_same_quotations_as_the_whole(answer: str, data: st.DataObject) -> None:
    """No release divides a quotation, however the answer is chunked."""
    pieces = pieces_of(answer, iter(lambda: data.draw(st.integers(1, 8)), 0))
    assert "".join(pieces) == answer
    whole = [(q.text, q.cited) for q in find_quotations(answer)]
    assert [(q.text, q.cited) for piece in pieces for q in find_quotations(piece)] == whole


NOTATIONS = [
    *PIECES, "'", "‘", "„", "»", "«", "``", "''", "`", "\n```\n", "\n```", "″", "&quot;", "&ldquo;", "&", "<q>", "</q>", "<blockquote>", "(", ")",
    "[", "]", "\n- ", "\n-", "\n  ", "\n1. ", ">", "~~~", "‹", "›", "「", "」", "s’ ", "s' ", "5", " - ", "; ", "x.pdf]", "|",
]  # fmt: skip


@settings(deadline=None, max_examples=int(os.environ.get("ORDERLY_TEST_SPLITS", "1000")))
@given(st.lists(st.sampled_from(NOTATIONS), max_size=30).map("".join), st.randoms(use_true_random=False))
def test_an_answer_has_the_same_pieces_however_its_stream_is_cut(answer: str, random: Random) -> None:
    whole = pieces_of(answer, repeat(len(answer)))
    longest = random.choice([1, 3, 8, 40])
    assert pieces_of(answer, iter(lambda: random.randint(1, longest), 0)) == whole


DIVISIONS = ("-\n", "\u00ad", "-  \n ")
DOCUMENT = "\n".join(f"{n}. {line}" for n, line in enumerate(LEASE.splitlines() * 2))


def _in_other_form(text: str, r: Random) -> str:
    """Divides words, joins letters, changes dashes, marks and white space."""
    text = re.sub(r"[a-z]{6,}", lambda m: m[0] if r.random() < 0.9 else f"{m[0][:3]}{r.choice(DIVISIONS)}{m[0][3:]}", text)
    for letters, sign in (("ffi", "ﬃ"), ("fi", "ﬁ"), ("ff", "ﬀ")):
        text = text.replace(letters, sign) if r.random() < 0.5 else text
    text = re.sub(r"[-'\"]", lambda m: r.choice({"-": "-‑–", "'": "'’", '"': '“"'}[m[0]]), text)
    return re.sub(" ", lambda m: r.choice([" ", " ", "\n", "  "]), text)


def test_quotations_are_found_where_one_pattern_of_all_their_words_matches() -> None:
    r = Random(7)
    for _ in range(300):
        start = r.randrange(len(DOCUMENT) - 200)
        quote = _in_other_form(DOCUMENT[start : start + r.randrange(2, 200)].strip(), r)
        text = _in_other_form(DOCUMENT, r)
        whole = [m.span() for m in compile_quote_pattern(quote).finditer(text) if not cuts_words(text, *m.span())]
        found = [(a, b) for a, b in find_occurrences(quote, text)]
        assert [text[a:b].rstrip() for a, b in found] == [text[a:b].rstrip() for a, b in whole]
