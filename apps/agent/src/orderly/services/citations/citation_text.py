"""The text of a citation: "Lease.pdf, Page 3, Section 2.1 (Rent)"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from orderly.services.text import Passage, citation_label, cited_page, is_within_section, section_reference

_SECTION = re.compile(r"\b(?:Section|Clause|Article)\s+[\w.()]*\w\)?", re.IGNORECASE)


def format_citation(record: Mapping[str, Any]) -> str:
    """Formats a passage record: "Lease.pdf, Page 3, Section 2.1 (Rent)"."""
    parts = [str(record["document_name"])]
    if record["paged"]:
        one = record["page_first"] == record["page_last"]
        parts.append(f"Page {record['page_first']}" + ("" if one else f"-{record['page_last']}"))
    if label := citation_label(record["section_label"], record["section_title"]):
        parts.append(label)
    return ", ".join(parts)


def format_passage_citation(place: Passage) -> str:
    return format_citation(place.record())


def names_place(cited: str, place: Passage) -> bool:
    """Whether a citation names the document, page and section of `place`."""
    page, section = cited_page(cited), _SECTION.search(cited)
    same_page = not place.paged or page is None or place.page_first <= page <= place.page_last
    actual = section_reference(place.section_label or "")
    same_section = section is None or is_within_section(actual, section_reference(section[0]))
    return cited.strip().startswith(place.document_name) and same_page and same_section
