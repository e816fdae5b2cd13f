"""The excerpts that a clause report shows."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.documents.clause_excerpts import shown_clauses
from orderly.services.text import RevisionView

CLAUSE = "6.1 The tenant must permit an audit of its records."


@pytest.mark.parametrize(
    ("heading", "title", "shown"),
    [
        ("6.0 Records and Audit", "Records and Audit", False),
        ("Section 6.0 RECORDS AND AUDIT", "Records and Audit", False),
        ("6.0 No audit is permitted.", "No audit is permitted", True),
    ],
)
def test_a_heading_alone_is_no_clause(heading: str, title: str, shown: bool) -> None:
    text = f"{heading}\n\n{CLAUSE}"
    section: Any = {
        "id": "s",
        "ordinal": 0,
        "parent": None,
        "label": "Section 6.0",
        "title": title,
        "start": 0,
        "end": len(text),
    }
    document: Any = {"id": "d", "filename": "Lease.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    revision: Any = {"id": "r", "paged": False, "health": {}}
    view = RevisionView({"document": {**document, "revision": revision}, "text": text, "pages": [], "sections": [section]})
    found = [view.passage(0, len(heading)), view.passage(len(heading) + 2, len(text))]
    assert [p.text for p in shown_clauses(view, "audit rights", found)] == [*([heading] if shown else []), CLAUSE]


RUN_ON = (
    "Defective Products. The Reseller may return them. "
    + "It keeps a list of what it returns to the Supplier. " * 30
    + "Indemnification. The Reseller shall hold the Supplier harmless. Term and Termination This Agreement runs for a year. "
    "Either party may end it by notice. This Agreement is governed by the laws of Victoria."
)


@pytest.mark.parametrize(
    ("clause_type", "begins"),
    [("indemnity", "The Reseller shall hold"), ("termination", "This Agreement runs for a year.")],
)
@pytest.mark.parametrize("is_found", [True, False])
def test_a_clause_in_running_text_begins_behind_its_title(clause_type: str, begins: str, is_found: bool) -> None:
    document: Any = {"id": "d", "filename": "Deed.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    revision: Any = {"id": "r", "paged": False, "health": {}}
    view = RevisionView({"document": {**document, "revision": revision}, "text": RUN_ON, "pages": [], "sections": []})
    [shown] = shown_clauses(view, clause_type, [view.passage(0, len(RUN_ON))] if is_found else [])
    assert shown.text.startswith(begins)


def test_a_clause_in_running_text_without_a_title_begins_with_what_says_most_of_it() -> None:
    document: Any = {"id": "d", "filename": "Deed.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    revision: Any = {"id": "r", "paged": False, "health": {}}
    view = RevisionView({"document": {**document, "revision": revision}, "text": RUN_ON, "pages": [], "sections": []})
    [shown] = shown_clauses(view, "governing law", [view.passage(0, len(RUN_ON))])
    assert shown.text == "This Agreement is governed by the laws of Victoria."
