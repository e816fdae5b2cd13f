"""The content of a query, apart from the words that name its document."""

from __future__ import annotations

import pytest

from orderly.services.search.query_names import _remove_descriptions


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("Which law governs the Hertz intellectual property agreement?", "Which law governs the Hertz agreement?"),
        ("The liability cap in the Hertz strategic alliance agreement", "The liability cap in the Hertz agreement"),
        ("Does Hertz terminate the agreement?", "Does Hertz terminate the agreement?"),
        ("May Hertz assign its rights under the agreement?", "May Hertz assign its rights under the agreement?"),
    ],
)
def test_words_between_a_name_and_the_kind_of_document_describe_the_document(query: str, rest: str) -> None:
    assert _remove_descriptions(query, ["Hertz"]) == rest
