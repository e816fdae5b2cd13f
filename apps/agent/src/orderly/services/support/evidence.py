"""Quoted words that may support a sentence, with what is known of their place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from orderly.services.support.facts import Facts, read_facts
from orderly.services.support.judges import judges_of
from orderly.services.support.words import subject_stems

_PRONOUN = re.compile(r"\b(?:it|its|we|us|our|you|your|he|him|his|she|her|they|them|their|I|me|my)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’&.-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]*\s|(?<![:;,—–])(?<!\band)(?<!\bor)\n\s*\n")
_LEAD = re.compile(r"([^:—–]{1,400})[:—–]\s*\(?\w{1,4}[).]\s", re.DOTALL)
"""The words before a list, which every item continues."""
_POINTS_BACK = re.compile(r"\W*(?:such|this|that|these|those|it|they|he|she)\b", re.IGNORECASE)
_WHOLE = re.compile(r"[.!?][\"”’)]*\s*\Z")
NEAR = 500
"""Characters right around the words."""


@dataclass
class Evidence:
    """Quoted words that may support a statement, with the place where they stand."""

    text: str
    labels: str = ""
    """Name of the document, label and title of the section."""
    section: str | None = None
    pages: tuple[int, int] | None = None
    before: str = ""
    """The beginning of the document and what stands before the words: whom "it" and "we" mean."""
    document_id: str = ""
    after: str = ""
    """What stands behind the words."""
    documents: tuple[str, ...] = ()
    """Names of the files, in the order of the quotations."""
    texts: tuple[str, ...] = field(default=(), repr=False)
    """Their whole texts."""
    next: str = ""
    """The next sentence of the section."""

    @cached_property
    def facts(self) -> Facts:
        return read_facts(self.text)

    @cached_property
    def judges(self) -> frozenset[str]:
        """Names of the judges who speak in the documents."""
        return frozenset(name for text in self.texts for name in judges_of(text))

    @cached_property
    def words(self) -> set[str]:
        return _forms(m[0] for m in _WORD.finditer(self.text))

    @cached_property
    def meant(self) -> set[str]:
        """Names that a pronoun of the quotation may stand for."""
        return (
            _forms(m[0] for m in _WORD.finditer(self.before) if m[0] != m[0].lower()) if _PRONOUN.search(self.text) else set()
        )

    @cached_property
    def opening_names(self) -> set[str]:
        """Capitalised words of the document's beginning, where its parties are named."""
        return _forms(m[0] for m in _WORD.finditer(self.before) if m[0] != m[0].lower())

    @cached_property
    def rest(self) -> tuple[str, str]:
        """The document's sentence before and behind the words, with the one before that "such" and "this" point to."""
        sentences = _SENTENCE_END.split(self.before[-NEAR:]) if self.before else [""]
        before = " ".join(sentences[-2:] if _POINTS_BACK.match(self.text) else sentences[-1:])
        if lead := _LEAD.match(before):
            before = lead[1]
        after = _SENTENCE_END.split(self.after[:NEAR], maxsplit=1)[0] if not _WHOLE.search(self.text) else ""
        return before.strip(), after.strip()

    @cached_property
    def whole(self) -> str:
        """The words with the rest of their sentence: there stands who does what is quoted."""
        before, after = self.rest
        return f"{before} {self.text} {after}".strip()

    @cached_property
    def names_of_sentence(self) -> set[str]:
        """Words that the evidence and the rest of its sentence capitalise."""
        return _forms(m[0] for m in _WORD.finditer(self.whole) if m[0] != m[0].lower())

    @cached_property
    def near(self) -> str:
        """What stands right around the words, and their labels."""
        return f"{self.labels} {self.before[-NEAR:]} {self.after}".casefold()

    @cached_property
    def label_words(self) -> set[str]:
        return _forms(m[0] for m in _WORD.finditer(self.labels.replace("_", " ")))

    @cached_property
    def stems(self) -> set[str]:
        return subject_stems(f"{self.text} {self.labels}")

    @classmethod
    def joined(cls, parts: Iterable[Evidence]) -> Evidence:
        found = list(parts)
        if len(found) == 1:
            return found[0]
        sections = [e.section for e in found if e.section]
        pages = [e.pages for e in found if e.pages]
        return cls(
            " . ".join(e.text for e in found),
            " ".join(e.labels for e in found),
            "\n".join(sections) or None,
            (min(p[0] for p in pages), max(p[1] for p in pages)) if pages else None,
            "\n".join(e.before for e in found),
            found[0].document_id,
            "\n".join(e.after for e in found),
            tuple(name for e in found for name in e.documents),
            tuple(text for e in found for text in e.texts),
        )


def _forms(words: Iterable[str]) -> set[str]:
    found = {word.casefold() for word in words}
    return (
        found
        | {re.sub(r"['’]s?$", "", word) for word in found}
        | {p for word in found for p in re.split(r"[-.&'’]", word) if p}
    )
