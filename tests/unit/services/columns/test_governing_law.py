"""A clause on the governing law that names no place."""

from __future__ import annotations

import pytest

from orderly.services.columns import DocumentFiller


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A claim goes to the court of the owner's home. It is governed by the law of that country.", True),
        ("The lease is construed under the laws in force in the place where the land lies.", True),
        ("The supplier complies with the laws of each place to which it delivers.", False),
        ("The board governs the club under its rules.", False),
    ],
)
def test_the_sentence_is_found_by_its_words(text: str, found: bool) -> None:
    assert (DocumentFiller(text).fill("governing law", "jurisdiction").unread is not None) == found
