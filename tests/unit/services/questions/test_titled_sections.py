"""The section with a subject's name as its title comes first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orderly.services.questions.presence import DocumentAnswer
from orderly.services.questions.titled_sections import with_titled_section
from orderly.services.text import RevisionView

HEADING = "9. Effect of Termination"
BODY = "When this agreement ends, the agent hands back every sample that it holds, and pays what is owed within ten days."
OTHER = "The records are kept for a year after the end of the agreement."
TEXT = f"{OTHER}\n\n{HEADING}\n\n{BODY}\n\nThe agent keeps nothing."


def view() -> RevisionView:
    document: Any = {"id": "d", "filename": "Agency.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    section = {"id": "s", "ordinal": 0, "parent": None, "label": "9", "title": "Effect of Termination", "level": 1}
    section |= {"start": TEXT.index(HEADING), "end": len(TEXT), "page_first": 1, "page_last": 1}
    row: Any = {"document": document, "text": TEXT, "pages": [], "sections": [section]}
    return RevisionView(row)


def test_the_titled_section_comes_before_what_was_found_elsewhere() -> None:
    found = DocumentAnswer("d", "Agency.txt", "answer", (view().passage(0, len(OTHER)),))
    shown = with_titled_section(found, view(), "effects of termination")
    assert (shown.presence, [p.text for p in shown.passages]) == ("answer", [BODY, OTHER])
    assert with_titled_section(shown, view(), "effects of termination") is shown
    assert with_titled_section(found, view(), "termination for convenience") is found


def test_the_titled_section_is_likely_where_nothing_was_found() -> None:
    nothing = DocumentAnswer("d", "Agency.txt", "none")
    shown = with_titled_section(nothing, view(), "effects of termination")
    assert (shown.presence, [p.text for p in shown.passages]) == ("likely", [BODY])
    assert with_titled_section(replace(nothing), view(), "insurance").presence == "none"
