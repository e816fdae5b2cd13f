"""A party is called as its document calls it, by a role or by a short name."""

from __future__ import annotations

import pytest

from orderly.services.questions import Nameable, named_documents
from orderly.services.questions.party_roles import party_roles


@pytest.mark.parametrize(
    ("short", "question", "rest"),
    [
        ("BOT", "How many units must Blue Otter buy?", "How many units must BOT buy?"),
        ("Otter", "What does Otter receive?", "What does Otter receive?"),
        ("Otter", "What does the Otter agreement say?", "What does the agreement say?"),
    ],
)
def test_a_party_is_called_as_the_document_calls_it(short: str, question: str, rest: str) -> None:
    opening = f'SUPPLY DEED between Blue Otter Tools Pty Ltd ("{short}") and B.' + f" {short} pays." * 6
    documents = [Nameable.of("s", "supply.txt", opening), Nameable.of("x", "x.txt", "A LETTER from C to D")]
    named = named_documents(question, documents)
    assert (named.documents, named.question) == (("s",), rest)


@pytest.mark.parametrize(
    "text",
    [
        'Services Agreement ("Agreement"): the agreement.' + " The Agreement ends." * 6,
        'between Otter Works Ltd ("Works") and B, whose works are' + " the Works." * 6,
    ],
)
def test_an_ordinary_word_is_no_short_name(text: str) -> None:
    assert party_roles(text) == {}
