"""Short quotations without a citation: what they claim of a document is checked, and terms stay as they are."""

from __future__ import annotations

import re

import pytest

from orderly.services.citations.quotation_edits import ASKED_ONLY, SHORT_UNVERIFIED
from support.lease_answers import NOTICE, RENT, lease_gate, shown
from support.short_quotations import INVENTED, TERMS

NOTE = re.compile(
    r"\[(?:unsupported|no quotation|quotation removed|nearest words|not found in|citation removed|your words)|No quotation from"
)


@pytest.mark.parametrize("before", ["", f"{NOTICE}\n\n"], ids=["alone", "behind a quotation"])
@pytest.mark.parametrize("answer", INVENTED)
async def test_short_quotations_of_invented_words_are_marked(answer: str, before: str) -> None:
    text = (await shown(before + answer)).removeprefix(before.replace(" [lease.txt]", " [1]"))
    assert NOTE.search(text), text


@pytest.mark.parametrize("before", ["", f"{NOTICE}\n\n"], ids=["alone", "behind a quotation"])
@pytest.mark.parametrize("answer", TERMS)
async def test_terms_and_short_quotations_that_stand_there_are_left_alone(answer: str, before: str) -> None:
    text = await shown(before + answer)
    assert not NOTE.search(text), text


async def test_a_note_stands_behind_the_invented_words_alone() -> None:
    text = await shown(f"Rent is due “in advance” and “bears no interest”: {RENT}")
    assert text.startswith(f"Rent is due “in advance” and “bears no interest”{SHORT_UNVERIFIED}: “The Lessee")
    assert len(NOTE.findall(text)) == 1


async def test_words_that_are_truly_absent_may_be_denied_and_no_others() -> None:
    denied = "The lease does not use the words “{}” anywhere."
    assert not NOTE.search(await shown(denied.format("force majeure")))
    assert NOTE.search(await shown(denied.format("at once")))
    assert NOTE.search(await shown(denied.format("written notice")))


@pytest.mark.parametrize(
    "statement",
    [
        "The Lessee has no “duty to pay rent”.",
        "The Lessee does not have “any duty”.",
        "Neither “lease nor renewal” binds the Lessee.",
    ],
)
async def test_what_a_party_is_said_not_to_have_is_no_denial_of_words(statement: str) -> None:
    assert NOTE.search(await shown(f"{NOTICE}\n\n{statement}"))


@pytest.mark.parametrize("words", ["void", "assignable at will"])
async def test_short_words_of_the_user_are_labelled_where_the_answer_claims_them(words: str) -> None:
    gate = lease_gate(asked=f"Is the lease {words}?")
    assert (await gate.judge(f"The lease is “{words}”."))[0] == f"The lease is “{words}”{ASKED_ONLY}."


async def test_the_nearest_words_of_the_document_are_not_cut_inside_a_sum() -> None:
    text = await shown("> The Lessee “shall not pay rent of $4”.\n")
    assert "$4,500" in text and "$4”" not in text
