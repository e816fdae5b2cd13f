from __future__ import annotations

import pytest

from orderly.services.text import is_within_section, section_reference


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Section 10.2(a)", ("10", "2", "a")),
        ("10.2 (a)", ("10", "2", "a")),
        ("Article IV", ("4",)),
        ("ARTICLE X(b)", ("10", "b")),
        ("Schedule 1, item 3", ("schedule", "1", "3")),
        ("EXHIBIT A, Section 2.3", ("exhibit", "a", "2", "3")),
        ("Annexure B", ("annex", "b")),
        ("clause 5", ("5",)),
        ("cl 18", ("18",)),
        ("s 12(s)", ("12", "s")),
        ("", ()),
    ],
)
def test_a_reference_has_the_parts_of_its_section(text: str, parts: tuple[str, ...]) -> None:
    assert section_reference(text) == parts


@pytest.mark.parametrize(
    ("inner", "outer", "within"),
    [
        ("12.1(a)", "Section 12.1", True),
        ("12.1", "Section 12", True),
        ("12.1", "12.1", True),
        ("12.2", "12.1", False),
        ("12.10", "12.1", False),
        ("12", "12.1", False),
        ("Exhibit A, 1", "1", False),
        ("12.1", "", False),
    ],
)
def test_a_section_stands_within_its_parents(inner: str, outer: str, within: bool) -> None:
    assert is_within_section(section_reference(inner), section_reference(outer)) is within
