"""Items of schedules: those that a question names, and those to which an answer leaves the figure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from orderly.models import Span
from orderly.services.questions.clause_parts import ROW
from orderly.services.questions.presence import DocumentAnswer, apart, found_at
from orderly.services.text import RevisionView

MOST = 2
"""Items shown beside an answer that refers to them."""
_OF = r"(?:\s+(?:of|in|to|under)\s+(?:the\s+)?(?P<schedule>(?:schedule|annexure|appendix|exhibit)(?:\s+(?:\d{1,3}|[A-Z])\b)?))?"
_REFERENCE = re.compile(rf"\b(?:item|line|row)\s+(?P<number>\d{{1,3}}[A-Z]?){_OF}", re.IGNORECASE)


def named_items(view: RevisionView, question: str) -> DocumentAnswer | None:
    """The items that a question names: "what is the fee in item 4 of Schedule 2?"; None if the document has none of them."""
    found = [view.passage(*span) for span in _items(view, question)]
    return found_at(view, apart(found)) if found else None


def with_items(answer: DocumentAnswer, view: RevisionView) -> DocumentAnswer:
    """The answer with the items to which its passages refer: "the Rent in Item 7"."""
    if answer.presence == "none":
        return answer
    items = [view.passage(*span) for passage in answer.passages for span in _items(view, passage.text)]
    beside = [item for item in apart((*answer.passages, *items)) if item not in answer.passages]
    return replace(answer, passages=(*answer.passages, *beside[:MOST]))


def _items(view: RevisionView, text: str) -> Iterator[Span]:
    for reference in _REFERENCE.finditer(text):
        start, end = _schedule(view, reference["schedule"] or "")
        first = re.compile(rf"[|\s]*(?:item\s+)?{reference['number']}[.)]?\s*[\t|]", re.IGNORECASE)
        row = next((row for row in ROW.finditer(view.text, start, end) if first.match(row[0])), None)
        if row:
            yield _trimmed(row)


def _schedule(view: RevisionView, named: str) -> Span:
    """Where a schedule stands; the whole document if it has no such heading."""
    label = " ".join(named.lower().split())
    for section in view.sections if " " in label else ():
        if (section["label"] or "").lower() == label:
            return section["start"], section["end"]
    return 0, len(view.text)


def _trimmed(row: re.Match[str]) -> Span:
    body = row[0].strip(" \t|")
    start = row.start() + row[0].index(body)
    return start, start + len(body)
