"""Selects the excerpts of a clause report: whole sentences, each once, clauses that a heading names, and the main headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.services.engines.local import names_clause_type
from orderly.services.text import Passage, RevisionView, end_with_list

MAX_HEADINGS = 60
LEAST_WORDS = 4
"""Words of a passage that says something."""
MOST_IN_NUMBER = 4
"""Words of a number before a heading: "Section 6.0.1"."""
LONGEST_LIST = 2_000
"""Characters of a clause with the list that its last words introduce."""
ALIKE = 0.9
"""Share of common words from which two passages with the same figures are the same."""

_NEXT_SENTENCE = re.compile(r"(?<=[.;:?!])[”\"’)]*\s+(?=[(“\"‘]?[A-Z0-9])")
_SENTENCE_END = re.compile(r"[.;:?!][”\"’)]*\s+|\n[ \t]*\n\s*")
_WORD = re.compile(r"[^\W_]+")


def shown_clauses(view: RevisionView, clause_type: str, found: Sequence[Passage]) -> list[Passage]:
    """The clauses of one type from the start of a sentence, without repetitions; without any, those that a heading names."""
    whole = [_with_list(view, _from_sentence(view, passage)) for passage in found]
    shown = _distinct([p for p in whole if len(_WORD.findall(p.text)) >= LEAST_WORDS and not _is_heading(view, p)])
    return shown or [
        view.passage(s["start"], s["end"]) for s in view.sections if names_clause_type(s["title"] or "", clause_type)
    ]


def main_headings(view: RevisionView) -> list[Passage]:
    """The outermost sections that have a title, in order, below a title of the whole; none if there are fewer than two."""
    sections = [s for s in view.sections if s["parent"] is None and s["title"]]
    while len(sections) == 1:
        sections = [s for s in view.sections if s["parent"] == sections[0]["ordinal"] and s["title"]]
    titled = [s for s in sections if s["label"]]
    shown = titled if len(titled) > 1 else sections
    return [view.passage(s["start"], s["end"]) for s in shown][:MAX_HEADINGS] if len(shown) > 1 else []


def _with_list(view: RevisionView, passage: Passage) -> Passage:
    """The passage with the list that its last words introduce."""
    end = end_with_list(view.text, passage.start, passage.end, LONGEST_LIST)
    return passage if end == passage.end else view.passage(passage.start, end, id=passage.id, score=passage.score)


def _is_heading(view: RevisionView, passage: Passage) -> bool:
    """Whether the passage is the heading of its section alone: "6.0 Records and Audit"."""
    section = view.section_at(passage.start)
    title = _WORD.findall((section["title"] or "").lower()) if section else []
    words = _WORD.findall(passage.text.lower())
    if not title or passage.text.rstrip().endswith("."):
        return False
    return words[-len(title) :] == title and len(words) - len(title) <= MOST_IN_NUMBER


def _from_sentence(view: RevisionView, passage: Passage) -> Passage:
    """The passage from its first whole sentence on; from the start of its only sentence, if that began before."""
    before = view.text[: passage.start].rstrip()
    if (
        not passage.text[:1].islower()
        or not before
        or before[-1] in '.;:?!,”"'
        or re.match(r"[a-z0-9]{1,4}[.)]\s", passage.text)
    ):
        return passage
    following = _NEXT_SENTENCE.search(passage.text)
    if following is not None and len(_WORD.findall(passage.text, following.end())) >= 2 * LEAST_WORDS:
        return view.passage(passage.start + following.end(), passage.end, id=passage.id, score=passage.score)
    section = view.section_at(passage.start)
    first = section["start"] if section else 0
    ends = [match.end() for match in _SENTENCE_END.finditer(view.text, first, passage.start)]
    return view.passage(ends[-1] if ends else first, passage.end, id=passage.id, score=passage.score)


def _distinct(passages: Sequence[Passage]) -> list[Passage]:
    """The passages without those whose words another one has."""
    kept: list[Passage] = []
    for passage in sorted(passages, key=lambda p: -len(p.text)):
        if not any(_same(passage.text, other.text) for other in kept):
            kept.append(passage)
    return [passage for passage in passages if passage in kept]


def _same(one: str, other: str) -> bool:
    """Whether the words of `one` stand in `other`, or nearly all of them with the same figures."""
    words, others = _WORD.findall(one.lower()), _WORD.findall(other.lower())
    if f" {' '.join(words)} " in f" {' '.join(others)} ":
        return True
    mine, theirs = set(words), set(others)
    if {w for w in mine ^ theirs if any(c.isdigit() for c in w)}:
        return False
    return len(mine & theirs) >= ALIKE * len(mine | theirs)
