"""Splits a query into document names and content, and finds the named documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from orderly.models import Caller
from orderly.services.engines.local import content_parts, name_words, stems
from orderly.services.questions import Nameable
from orderly.services.questions import named_documents as named_by_question
from orderly.store.base import Store
from orderly.store.functions.search import NamedDocument, SearchedDocument, named_documents

MIN_SCORE = 0.9
"""Score from which a document counts as named: about the score of one word that is unique to the document."""
MIN_SHARE_OF_BEST = 0.75
"""Share of the best score from which another document counts as named too."""
_KINDS = "agreement|contract|lease|deed|licen[cs]e|policy|amendment|memorandum|letter|will"
_LINKING = "a|an|the|this|that|these|its|his|her|their|our|my|any|and|or|of|in|on|to|for|from|with|under|by|at|as|is|are|be"
"""Words that do not stand inside the description of a document."""

_THE_AGREEMENT = re.compile(r"(?:\b(?:in|of|under|by|from|for|to|with) )?\bthe agreement\b")
"""What stands for the names in a question, with the word that leads to it."""

MAX_NAMED = 4
"""If more documents qualify, the query names none."""


@dataclass(frozen=True, slots=True)
class SplitQuery:
    """The content to search for, and the named documents (none: search all)."""

    content: str
    documents: Sequence[tuple[str, str]] = ()
    """Ids and file names."""

    @property
    def within(self) -> list[str] | None:
        return [id for id, _ in self.documents] or None


async def split_query(
    store: Store, caller: Caller, matter_id: str, query: str, documents: Sequence[SearchedDocument]
) -> SplitQuery:
    """Finds what a query names: by capitalised words of openings, else as questions name documents, by their file names."""
    names = name_words(query)
    rows: Sequence[NamedDocument] = ()
    if names:
        rows = await named_documents(store, caller, matter_id, " ".join(names), match_count=MAX_NAMED + 1)
    if named := _select_named(rows):
        content = _content_of(_remove_descriptions(query, names))
        return SplitQuery(_remove_names(content, names), [(row["document_id"], row["document_name"]) for row in named])
    meant = named_by_question(query, [_nameable(d["id"], d["filename"]) for d in documents])
    if 0 < len(meant.documents) <= MAX_NAMED:
        content = _THE_AGREEMENT.sub(" ", meant.question)
        return SplitQuery(
            _content_of(content if stems(content) else query),
            [(d["id"], d["filename"]) for d in documents if d["id"] in meant.documents],
        )
    return SplitQuery(_content_of(query))


@lru_cache(maxsize=20_000)
def _nameable(id: str, filename: str) -> Nameable:
    return Nameable.of(id, filename, "")


def _content_of(query: str) -> str:
    """Removes runs of names from the query, keeping its word order."""
    parts = content_parts(query)
    return " ".join(sorted(parts, key=query.find))


def _select_named(rows: Sequence[NamedDocument]) -> tuple[NamedDocument, ...]:
    if not rows or rows[0]["score"] < MIN_SCORE:
        return ()
    named = tuple(row for row in rows if row["score"] >= MIN_SHARE_OF_BEST * rows[0]["score"])
    return named if len(named) <= MAX_NAMED else ()


def _remove_descriptions(query: str, names: Sequence[str]) -> str:
    """Removes the words between a name and the kind of its document: "the Hertz intellectual property agreement"."""
    anyone = "|".join(map(re.escape, names))
    words = rf"(?:(?!(?:{_LINKING})\b)[a-z][\w-]*\s+){{1,3}}"
    return re.sub(rf"\b({anyone})(?:['’]s)?\s+{words}((?:{_KINDS})s?)\b", r"\1 \2", query)


def _remove_names(content: str, names: Sequence[str]) -> str:
    """Removes the remaining single names, unless nothing else is left."""
    rest = " ".join(re.sub(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b(?:['’]s)?", " ", content).split())
    return rest if re.search(r"\w", rest) else content
