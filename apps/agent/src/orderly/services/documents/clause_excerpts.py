"""Selects the excerpts of a clause report: whole sentences, each once, clauses that a heading names, and the main headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.services.engines.local import names_clause_type, says_clause_type, sentences
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

RUNS_ON = 1_500
"""Characters from which a passage may run over several clauses."""

_TITLED = r"[A-Z][a-z][\w’'-]*"
_INLINE_TITLE = re.compile(
    rf"(?:(?<=[.;:]\s)|(?<=\n))(?P<title>{_TITLED}(?:(?:,?\s+(?:and|of|or|for|on|the|to))?,?\s+{_TITLED}){{0,5}})"
    r"(?:\.\s+(?=[A-Z])|\s+(?=[A-Z]{2,}\s+[A-Z]{2,}\s+[A-Z]{2,})|\s+(?=(?:This|The|Each|Neither|Either|In|If|Any|All)\s+[a-zA-Z]))"
)
"""The title of a clause in running text, before the clause's first words."""
_NEXT_SENTENCE = re.compile(r"(?<=[.;:?!])[”\"’)]*\s+(?=[(“\"‘]?[A-Z0-9])")
_SENTENCE_END = re.compile(r"[.;:?!][”\"’)]*\s+|\n[ \t]*\n\s*")
_WORD = re.compile(r"[^\W_]+")


def shown_clauses(view: RevisionView, clause_type: str, found: Sequence[Passage]) -> list[Passage]:
    """The clauses of one type from the start of a sentence, without repetitions; without any, those that a heading names."""
    whole = [_with_list(view, _from_sentence(view, passage)) for passage in found]
    whole = [_from_title(view, passage, clause_type) for passage in whole]
    shown = _distinct([p for p in whole if len(_WORD.findall(p.text)) >= LEAST_WORDS and not _is_heading(view, p)])
    titled = [view.passage(s["start"], s["end"]) for s in view.sections if names_clause_type(s["title"] or "", clause_type)]
    return shown or titled or _titled_inside(view, 0, len(view.text), clause_type)


def main_headings(view: RevisionView) -> list[Passage]:
    """The outermost sections that have a title, in order, below a title of the whole; none if there are fewer than two."""
    sections = [s for s in view.sections if s["parent"] is None and s["title"]]
    while len(sections) == 1:
        sections = [s for s in view.sections if s["parent"] == sections[0]["ordinal"] and s["title"]]
    titled = [s for s in sections if s["label"]]
    shown = titled if len(titled) > 1 else sections
    return [view.passage(s["start"], s["end"]) for s in shown][:MAX_HEADINGS] if len(shown) > 1 else []


def outer_clauses(view: RevisionView) -> list[Passage]:
    """The outermost numbered clauses, in order; none if there are fewer than two."""
    numbered = [s for s in view.sections if s["parent"] is None and s["label"]]
    return [view.passage(s["start"], s["end"]) for s in numbered][:MAX_HEADINGS] if len(numbered) > 1 else []


def _with_list(view: RevisionView, passage: Passage) -> Passage:
    """The passage with the list that its last words introduce."""
    end = end_with_list(view.text, passage.start, passage.end, LONGEST_LIST)
    return passage if end == passage.end else view.passage(passage.start, end, id=passage.id, score=passage.score)


def _from_title(view: RevisionView, passage: Passage, clause_type: str) -> Passage:
    """Of a passage that runs over several clauses, the one whose title names the type, or else what says most of it."""
    if len(passage.text) < RUNS_ON:
        return passage
    if named := _titled_inside(view, passage.start, passage.end, clause_type):
        return named[0]
    told = sentences(passage.text)
    said = says_clause_type(clause_type, [passage.text[s.start : s.end] for s in told])
    if not max(said, default=0.0):
        return passage
    return view.passage(passage.start + told[said.index(max(said))].start, passage.end, id=passage.id, score=passage.score)


def _titled_inside(view: RevisionView, start: int, end: int, clause_type: str) -> list[Passage]:
    """Clauses of the type whose titles stand in running text: "Indemnification. The Reseller shall"."""
    titles = list(_INLINE_TITLE.finditer(view.text, start, end))
    ends = [*(title.start() for title in titles), end]
    return [
        view.passage(title.end(), ends[n + 1])
        for n, title in enumerate(titles)
        if names_clause_type(title["title"], clause_type)
    ]


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
