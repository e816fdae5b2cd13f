"""The text of a citation, and what it names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderly.services.citations.citation_text import format_passage_citation, names_place
from orderly.services.text import Passage

RENT = Passage("d", "Lease.pdf", "r", "c", 10, 20, "the rent", True, 3, 3, "2.1", "Rent")


@pytest.mark.parametrize(
    ("place", "cited"),
    [
        (RENT, "Lease.pdf, Page 3, Section 2.1 (Rent)"),
        (replace(RENT, page_last=4), "Lease.pdf, Page 3-4, Section 2.1 (Rent)"),
        (replace(RENT, paged=False), "Lease.pdf, Section 2.1 (Rent)"),
        (replace(RENT, section_label=None), "Lease.pdf, Page 3, Rent"),
        (replace(RENT, section_label=None, section_title=None), "Lease.pdf, Page 3"),
    ],
)
def test_a_citation_names_document_pages_and_section(place: Passage, cited: str) -> None:
    assert format_passage_citation(place) == cited


@pytest.mark.parametrize(
    ("cited", "is_named"),
    [
        ("Lease.pdf", True),
        ("Lease.pdf, Page 3", True),
        ("Lease.pdf, Page 2", False),
        ("Lease.pdf, Page 4", False),
        ("Lease.pdf, Section 2.1", True),
        ("Lease.pdf, Section 2", True),
        ("Lease.pdf, Section 2.2", False),
        ("Deed.pdf, Page 3, Section 2.1", False),
    ],
)
def test_a_place_is_named_by_its_document_page_and_section(cited: str, is_named: bool) -> None:
    assert names_place(cited, RENT) is is_named
