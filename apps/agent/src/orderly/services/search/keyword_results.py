"""What a keyword search is asked, and what it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from orderly.services.text import Passage
from orderly.store.functions.documents import Document

KeywordMode = Literal["keyword", "regex"]


@dataclass(frozen=True, slots=True)
class KeywordQuestion:
    query: str
    mode: KeywordMode = "keyword"
    case_sensitive: bool = False
    context_lines: int = 2
    """Before and after the line of a match."""
    within: Sequence[str] | None = None
    """Ids of documents, folders and sections."""
    limit: int = 20
    """Places; matches near each other are one place."""
    offset: int = 0


@dataclass(slots=True)
class DocumentMatches:
    document_id: str
    name: str
    matter_number: str
    count: int


@dataclass(frozen=True, slots=True)
class Place:
    passage: Passage
    matches: int
    matter_number: str
    matched: Sequence[str] = ()
    """What a regular expression matched, each string once."""


@dataclass(slots=True)
class KeywordResult:
    query: str
    mode: KeywordMode
    matter: str
    """Its number, or "all"."""
    documents: Sequence[Document]
    """Every document of the matters, with its status."""
    by_document: list[DocumentMatches] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    """Those of the page asked for, in the order of the documents and their text."""
    place_count: int = 0
    offset: int = 0
    searched: int = 0
    """Documents searched to the end."""
    too_slow: list[str] = field(default_factory=list)
    """Documents in which the expression was not done in time; none of their matches is counted."""
    out_of_time: bool = False
    word_forms: bool = False
    """No document has the words as written: these are passages with the words in any form, best first."""

    @property
    def count(self) -> int:
        return sum(document.count for document in self.by_document)

    @property
    def next_offset(self) -> int | None:
        after = self.offset + len(self.places)
        return after if self.places and after < self.place_count else None
