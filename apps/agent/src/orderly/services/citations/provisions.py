"""The provision around a place: what a lawyer compares a sentence with, instead of the fragment in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from orderly.models import Span
from orderly.services.support import content_stems
from orderly.services.text import RevisionView, citation_label
from orderly.store.functions.revisions import Section

LONGEST = 1_500
"""Characters of a provision; of a longer one the paragraphs around the place."""
SHORT = 200
"""Characters below which a clause is read with its neighbours under one heading."""
MOST_DEFINITIONS, LONGEST_DEFINITION = 3, 300

_BREAK = re.compile(r"\n[ \t]*\n\s*")
_DEFINED = re.compile(r"[“\"](?P<term>[A-Z][^“”\"\n]{1,60})[”\"]\s*(?:means|has\s+the\s+meaning|shall\s+mean|:|is\s+defined)")
_TERM_ALONE = re.compile(r"^\W{0,4}(?P<term>[A-Z][\w’' -]{2,60}?)\*{0,2}\s+means\b", re.MULTILINE)
_ITEM = re.compile(r"\([a-zA-Z0-9]{1,4}\)\Z")


@dataclass(frozen=True)
class Provision:
    """`text` is `[start:end]` of the document, with the definitions that it uses in `definitions`."""

    document_id: str
    document_name: str
    label: str
    """Label and title of its section, as citations write them."""
    start: int
    end: int
    text: str
    definitions: str = ""

    @property
    def place(self) -> str:
        """As citations are written."""
        return f"{self.document_name}, {self.label}" if self.label else self.document_name

    @cached_property
    def all(self) -> str:
        return f"{self.document_name} {self.label}\n{self.text}\n{self.definitions}"

    @cached_property
    def stems(self) -> set[str]:
        return content_stems(f"{self.label} {self.text}")


class Provisions:
    """The provisions of one revision."""

    def __init__(self, view: RevisionView) -> None:
        self._view = view
        self._labelled: Sequence[Section] = [s for s in view.sections if s["label"] or s["title"]]

    def around(self, start: int, end: int) -> Provision:
        """The innermost labelled section that holds a place, with its lead and proviso; else its paragraph."""
        around = [s for s in self._labelled if s["start"] <= start and end <= s["end"]]
        found: Span | None = None
        for section in reversed(around):
            length = section["end"] - section["start"]
            if length > LONGEST:
                break
            found = section["start"], section["end"]
            if length > SHORT and not _ITEM.search(section["label"] or ""):
                break
        low, high = found or self._paragraphs(start, end)
        inner = around[-1] if around else None
        return self._made(low, high, citation_label(inner["label"], inner["title"]) if inner else "")

    def _made(self, low: int, high: int, label: str) -> Provision:
        view = self._view
        text = view.text[low:high]
        defined = [words for term, words in self.definitions.items() if term in text and words[:60] not in text]
        return Provision(view.document_id, view.name, label, low, high, text, "\n".join(defined[:MOST_DEFINITIONS]))

    def _paragraphs(self, start: int, end: int) -> Span:
        """The paragraphs around a place, up to the longest length."""
        text = self._view.text
        breaks = [
            0,
            *(m.end() for m in _BREAK.finditer(text, max(start - LONGEST, 0), min(end + LONGEST, len(text)))),
            len(text),
        ]
        low = max(b for b in breaks if b <= start)
        high = min((b for b in breaks if b >= end), default=len(text))
        return max(low, start - LONGEST), min(max(high, end), low + max(LONGEST, end - low))

    @cached_property
    def definitions(self) -> dict[str, str]:
        """Each defined term with its definition, cut at 300 characters."""
        text = self._view.text
        found = sorted((m.start(), m["term"]) for pattern in (_DEFINED, _TERM_ALONE) for m in pattern.finditer(text))
        return {
            term: _shortened(" ".join(text[at : at + LONGEST_DEFINITION + 1].split("\n\n")[0].split())) for at, term in found
        }

    @cached_property
    def all(self) -> Sequence[Provision]:
        """The document as provisions: its innermost sections, long ones and unlabelled text by paragraphs."""
        return [self._made(low, high, label) for low, high, label in self._pieces() if self._view.text[low:high].strip()]

    def _pieces(self) -> Iterator[tuple[int, int, str]]:
        borders = sorted({0, len(self._view.text), *(s["start"] for s in self._view.sections)})
        for low, high in pairwise(borders):
            section = self._view.section_at(low)
            label = citation_label(section["label"], section["title"]) if section else ""
            at = low
            while high - at > LONGEST:
                cut = [m.end() for m in _BREAK.finditer(self._view.text, at + 1, at + LONGEST)]
                stop = cut[-1] if cut else at + LONGEST
                yield at, stop, label
                at = stop
            yield at, high, label


def _shortened(words: str) -> str:
    return words if len(words) <= LONGEST_DEFINITION else f"{words[:LONGEST_DEFINITION].rsplit(' ', 1)[0]} …"
