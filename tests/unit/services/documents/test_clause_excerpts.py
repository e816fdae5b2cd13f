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
