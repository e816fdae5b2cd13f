from __future__ import annotations

from typing import Any

import pytest

from orderly.services.citations.gate import Refused, Verified, decide
from orderly.services.text.passages import RevisionView
from orderly.services.text.sections import find_sections

TEXT = """RECITALS

The parties have met several times before.

ARTICLE IV FEES

4.1 Rates. The Customer pays the agreed rates: (a) monthly in advance for hosting; and (b) yearly for the licence granted.

4.2 Taxes. All rates exclude the value added tax that applies to them.

SCHEDULE 1
RATES

1. Hosting. One hundred dollars are due for every month begun.
"""


def view() -> RevisionView:
    pages = [{"number": 1, "start": 0, "end": len(TEXT), "flags": [], "source": "native", "confidence": None}]
    revision = {"id": "r", "paged": False, "health": {}}
    document = {"id": "d", "filename": "a.txt", "matter_id": "m", "status": "ready", "status_reason": "", "revision": revision}
    sections: list[dict[str, Any]] = [
        {
            "id": f"s{one.ordinal}", "ordinal": one.ordinal, "parent": one.parent, "level": one.level, "label": one.label,
            "title": one.title, "start": one.start, "end": one.end, "page_first": 1, "page_last": 1,
        }
        for one in find_sections(TEXT)
    ]  # fmt: skip
    return RevisionView({"document": document, "text": TEXT, "pages": pages, "sections": sections})  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("quote", "section"),
    [
        ("The Customer pays the agreed rates", "Section 4.1"),
        ("The Customer pays the agreed rates", "Section 4.1 (Rates)"),
        ("The Customer pays the agreed rates", "Article IV"),
        ("monthly in advance for hosting", "Section 4.1(a)"),
        ("yearly for the licence granted", "Section 4.1(b)"),
        ("One hundred dollars are due", "Schedule 1"),
        ("One hundred dollars are due", "Schedule 1, item 1"),
    ],
)
def test_the_cited_section_holds_the_words(quote: str, section: str) -> None:
    assert isinstance(decide(quote, view(), section=section), Verified)


@pytest.mark.parametrize(
    ("quote", "section", "where"),
    [
        ("The Customer pays the agreed rates", "Section 4.2", "Section 4.1 (Rates)"),
        ("The Customer pays the agreed rates", "Section 4.1(a)", "Section 4.1 (Rates)"),
        ("monthly in advance for hosting", "Section 4.1(b)", "Section 4.1 (Rates)"),
        ("One hundred dollars are due", "Section 1", "SCHEDULE 1, Section 1 (Hosting)"),
        ("The parties have met several times", "Section 1", "a part of the document without a section number"),
    ],
)
def test_another_section_is_refused_and_the_right_one_named(quote: str, section: str, where: str) -> None:
    decision = decide(quote, view(), section=section)
    assert isinstance(decision, Refused)
    assert decision.reason == "elsewhere"
    assert decision.message == f"The words stand in {where}, not in {section}."
