"""Passages of a search as a language model reads them."""

from __future__ import annotations

from orderly.agent.rendering import search_results
from orderly.services.search import SearchResult
from orderly.services.text import Passage

LONG = "The parties meet every week. " * 60


def passage(number: int, name: str, score: float, text: str = "Rent is due on the first day of the month.") -> Passage:
    return Passage(
        document_id=name, document_name=name, revision_id="r", id=f"p{number}", start=0, end=len(text), text=text,
        paged=True, page_first=number, page_last=number, score=score,
    )  # fmt: skip


def shown(*passages: Passage) -> str:
    documents = [{"id": p.document_id} | READ for p in passages]
    matter = {"id": "m", "number": "M-2026-001"}
    values: dict[str, object] = {"documents": documents, "stages": ("vectors",), "engine": "Engine"}
    return search_results(SearchResult(matter, "rent", passages=passages, **values), brief=True)  # type: ignore[arg-type]


READ = {"filename": "x", "status": "ready", "status_reason": "", "chunk_count": 1}


def test_passages_stand_by_relevance_with_their_places() -> None:
    text = shown(passage(1, "lease.pdf", 0.9), passage(2, "loan.pdf", 0.8), passage(3, "lease.pdf", 0.7))
    assert text.startswith("Found 3 relevant excerpts in matter M-2026-001:\n\n1. [lease.pdf, Page 1] (Relevance: 0.90)\n")
    assert [line.strip() for line in text.splitlines() if "ID: " in line] == ["ID: p1", "ID: p2", "ID: p3"]


def test_passages_far_below_the_best_are_cut_or_named_alone() -> None:
    best, cut, named = passage(1, "a.pdf", 0.9), passage(2, "b.pdf", 0.2, LONG), passage(3, "c.pdf", 0.01, LONG)
    lines = [line.strip() for line in shown(best, cut, named).splitlines()]
    assert f'"{best.text}"' in lines
    assert len(lines[lines.index("2. [b.pdf, Page 2] (Relevance: 0.20)") + 1]) < 120
    assert lines[lines.index("3. [c.pdf, Page 3] (Relevance: 0.01)") + 1] == "ID: p3"


def test_passages_without_relevance_are_shown() -> None:
    one = passage(1, "a.pdf", 0.9)
    assert '1. [a.pdf, Page 1]\n   "Rent is due' in shown(one.scored(None))
    assert '1. [a.pdf, Page 1] (Relevance: 0.00)\n   "Rent is due' in shown(one.scored(0.0))
