"""Splits a question into which document it is about and what it asks, and finds the document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.models import Caller
from orderly.services.engines.local import content_parts, name_words
from orderly.store.base import Store
from orderly.store.functions.search import NamedDocument, named_documents

TELLING = 0.9
"""Score from which a document is held to be named: about that of one word that no other document has."""
NEARLY = 0.75
"""Share of the best score from which another document may be meant as well."""
MOST_NAMED = 4
"""Documents; where more are meant equally, none is named."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the documents that it is asked of (none: all of them)."""

    content: str
    documents: tuple[NamedDocument, ...] = ()

    @property
    def within(self) -> list[str] | None:
        return [d["document_id"] for d in self.documents] or None


async def split(store: Store, caller: Caller, matter_id: str, query: str) -> Question:
    names = name_words(query)
    rows: Sequence[NamedDocument] = ()
    if names:
        rows = await named_documents(store, caller, matter_id, " ".join(names), match_count=MOST_NAMED + 1)
    named = _named(rows)
    content = content_of(query)
    return Question(_without(content, names) if named else content, named)


def content_of(query: str) -> str:
    """The query without runs of names, in its own order."""
    parts = content_parts(query)
    return " ".join(sorted(parts, key=query.find))


def _named(rows: Sequence[NamedDocument]) -> tuple[NamedDocument, ...]:
    if not rows or rows[0]["score"] < TELLING:
        return ()
    meant = tuple(row for row in rows if row["score"] >= NEARLY * rows[0]["score"])
    return meant if len(meant) <= MOST_NAMED else ()


def _without(content: str, names: Sequence[str]) -> str:
    """Without the single names that stand alone in the text; unchanged where nothing else is there."""
    rest = " ".join(re.sub(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b(?:['’]s)?", " ", content).split())
    return rest if re.search(r"\w", rest) else content
