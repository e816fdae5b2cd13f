"""Queries, patterns and results of keyword searches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from orderly.errors import Invalid
from orderly.services.documents import ReadCoverage
from orderly.services.text import Passage, compile_quote_pattern, normalise_text
from orderly.store.functions.search import ApartText, SearchedDocument

KeywordMode = Literal["keyword", "regex"]

MAX_APART = 20
_LONGEST_APART = 300
_BETWEEN = "\n\n"

_QUOTED = re.compile(r'["“”]([^"“”]*)["“”]')


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    query: str
    mode: KeywordMode = "keyword"
    case_sensitive: bool = False
    context_lines: int = 2
    """Lines before and after the line of a match."""
    within: Sequence[str] | None = None
    """Ids of documents, folders and sections."""
    limit: int = 20
    """Places; adjacent matches form one place."""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class KeywordPattern:
    """`pattern` has one group per term. A document matches if every term occurs."""

    pattern: str
    terms: Sequence[str]


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
    """The distinct strings that a regular expression matched."""
    raw: bool = False
    """In the file of a document that is not indexed yet; `passage.revision_id` is then empty."""


@dataclass(frozen=True, slots=True)
class ApartMatch:
    """Words that were kept out of a document's text."""

    document_id: str
    document_name: str
    kind: str
    """"struck", "deletion", "move away" or "hidden"."""
    place: str
    text: str
    """Of hidden words, which may address a model, only those that matched."""


@dataclass(slots=True)
class KeywordResult:
    query: str
    mode: KeywordMode
    matter: str
    """The matter's number, or "all"."""
    documents: Sequence[SearchedDocument]
    """All documents in scope, with their status."""
    scoped: bool = False
    """The caller restricted the search to folders, documents or sections."""
    by_document: list[DocumentMatches] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    """The requested page of places, in the order of the documents and their text."""
    place_count: int = 0
    apart: list[ApartMatch] = field(default_factory=list)
    """Matches in words that are no part of the texts, in order, up to `MAX_APART`."""
    offset: int = 0
    searched: list[str] = field(default_factory=list)
    """Ids of the documents that were searched completely."""
    read: list[ReadCoverage] = field(default_factory=list)
    """Without matches: how each document in `searched` was read, and nothing else."""
    raw_searched: list[str] = field(default_factory=list)
    """Ids of documents whose files were searched, as they have no passages yet."""
    raw_unread: Mapping[str, str] = field(default_factory=dict)
    """Document id -> reason why the file of a document without passages was not searched."""
    too_slow: list[str] = field(default_factory=list)
    """Documents in which the search timed out; none of their matches is counted."""
    out_of_time: bool = False
    word_forms: bool = False
    """No document contains the exact words: these are passages with other forms of the words, best first."""

    @property
    def count(self) -> int:
        return sum(document.count for document in self.by_document)

    @property
    def next_offset(self) -> int | None:
        after = self.offset + len(self.places)
        return after if self.places and after < self.place_count else None


def matches_apart(
    document_id: str, name: str, apart: Sequence[ApartText], spans: Sequence[tuple[int, int]]
) -> Iterator[ApartMatch]:
    """The entries that have a match, each once. `spans`: matches in the text of `join_apart`."""
    start = 0
    for entry in apart:
        end = start + len(entry["text"])
        found = [entry["text"][max(a - start, 0) : b - start] for a, b in spans if a < end and b > start]
        if found:
            words = "; ".join(dict.fromkeys(found)) if entry["kind"] == "hidden" else entry["text"]
            yield ApartMatch(document_id, name, entry["kind"], entry["place"], words[:_LONGEST_APART])
        start = end + len(_BETWEEN)


def join_apart(apart: Sequence[ApartText]) -> str:
    """The entries as one text, which is searched at once."""
    return _BETWEEN.join(entry["text"] for entry in apart)


def compile_keywords(query: str) -> KeywordPattern:
    """Compiles a keyword query.

    Quoted parts are terms, and so is each word outside them; without quotation marks the whole query is one term. A term
    matches whole words with any spacing, quotation marks and dashes; a final `*` matches any word ending. Raises Invalid if
    there is no term.
    """
    quoted = [part.strip() for part in _QUOTED.findall(query)]
    terms = [*quoted, *_QUOTED.sub(" ", query).split()] if quoted else [query.strip()]
    terms = list(dict.fromkeys(term for term in terms if normalise_text(term.rstrip("*"))))
    if not terms:
        raise Invalid("The query is empty.")
    return KeywordPattern("|".join(f"({_term_pattern(term)})" for term in terms), terms)


def _term_pattern(term: str) -> str:
    open_end = term.endswith("*")
    words = normalise_text(term.rstrip("*"))
    before = r"(?<!\w)" if words[0].isalnum() else ""
    after = r"\w*" if open_end else r"(?!\w)" if words[-1].isalnum() else ""
    return f"{before}{compile_quote_pattern(words).pattern}{after}"
