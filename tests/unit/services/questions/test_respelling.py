"""A question is put to a document in the document's own words."""

from __future__ import annotations

import pytest

from orderly.services.questions.respelling import respelt_for


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
