"""Corrections of cells, read by the type of the column."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.errors import Invalid
from orderly.services.reviews.corrections import corrected_value


@pytest.mark.parametrize(
    ("kind", "text", "key", "expected"),
    [
        ("date", "2026-03-01", "iso", "2026-03-01"),
        ("date", "March 2026", "iso", "2026-03"),
        ("date", "Perpetual", "perpetual", True),
        ("duration", "three months", "iso", "P3M"),
        ("money", "AUD 1,500.00", "amount", "1500.00"),
        ("number", "1,500", "number", 1500.0),
        ("yes_no", "No", "yes", False),
        ("jurisdiction", "Victoria", "jurisdiction", "Victoria, Australia"),
        ("jurisdiction", "Nauru", "jurisdiction", "Nauru"),
        ("parties", "A Ltd;  B Ltd ", "text", "A Ltd; B Ltd"),
        ("choice", "exclusive", "choice", "exclusive"),
        ("text", " as  agreed ", "text", "as agreed"),
    ],
)
def test_a_correction_is_read_by_its_type(kind: Any, text: str, key: str, expected: object) -> None:
    assert dict(corrected_value({"type": kind, "text": text}))[key] == expected


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "soon"), ("date", "2026-02-31"), ("date", "05/03/2026"), ("duration", "P90D or so"), ("money", "lots"), ("number", "-3"),
        ("number", "not 12"), ("yes_no", "maybe"), ("jurisdiction", "12"), ("parties", ";"), ("text", "  "),
    ],
)  # fmt: skip
def test_another_form_is_refused_with_what_is_accepted(kind: Any, text: str) -> None:
    with pytest.raises(Invalid, match=r"is not|does not say one|says the value"):
        corrected_value({"type": kind, "text": text})
