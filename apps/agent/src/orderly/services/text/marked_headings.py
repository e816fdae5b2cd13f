"""Reads the headings that a file marks into candidates: the number is read from their words, as in any other line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from orderly.models import Heading
from orderly.services.text.clause_numbers import leading_number
from orderly.services.text.heading_candidates import MONTH, Candidate, Kind
from orderly.services.text.heading_titles import find_title, is_long_sentence, reads_as_sentence
from orderly.services.text.number_chains import MAX_GAP_IN_ACT

_AFTER_NUMBER = r"(?:\s*[—–:.-]+\s*|\s+|$)(?P<title>.*)"
_WRITTEN = (
    re.compile(
        r"(?P<label>(?:\d{1,3}|\d{4}(?=[ ]{2}))[A-Z]{0,5}(?:\.\d{1,3}[A-Z]{0,3}){0,4})(?:[.:)]?(?:\s+|$)|\s*(?P<dash>[—–])\s*)"
        rf"(?!{MONTH})(?P<title>.*)",
        re.DOTALL,
    ),
    re.compile(r"§\s*(?P<label>\d+[A-Za-z]{0,4}(?:[–-]\d+[a-z]?)?)\.?\s+(?P<title>\S.*)", re.DOTALL),
    re.compile(
        r"(?P<label>(?:schedule|annexure|annex|appendix|attachment|exhibit)\s+(?:\d{1,2}[a-z]?|[a-z])|schedule(?=\s*(?:[—–:-]|$)))"
        + _AFTER_NUMBER,
        re.DOTALL | re.IGNORECASE,
    ),
    re.compile(
        r"(?P<label>(?i:subtitle|title|part|chapter|subchapter|division|subdivision|article)"
        r"\s+(?:\d{1,3}[A-Z]{0,2}|[IVXLC]{1,7}[A-Z]{0,2}|[A-Z]))\b" + _AFTER_NUMBER,
        re.DOTALL,
    ),
    re.compile(r"(?P<label>\((?:[a-z]{1,4}|[A-Z]|\d{1,2})\))\s+(?P<title>\S.*)", re.DOTALL),
)
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("schedule", "annexure", "annex", "appendix", "attachment", "exhibit"), "schedule"),
    **dict.fromkeys(("division", "subdivision"), "division"),
    **dict.fromkeys(("subtitle", "title", "part", "chapter", "subchapter"), "part"),
    "article": "article",
}
FIELD_CODE = re.compile(r"\bSTYLEREF |\* (?:CHAR|MERGE)FORMAT\b")
"""Of Word: stands in the running heads that a converter has put after the text."""

_NUMBER = re.compile(r"\d[\d.]*[A-Z]{0,3}")
_CONTENTS = re.compile(r"(?:table of )?contents", re.IGNORECASE)
MIN_BODY = 0.25
"""Least share of an Act before its notes; the same words in the table of contents stand earlier."""

_NOTES = re.compile(r"Endnotes\W*$|Endnote \d|Notes to the [^\n]*\bAct\b")
"""The heading of the notes to an Act, which quote provisions of other Acts; notes to the accounts are a section like others."""

_INSERTS = re.compile(r"\b(?:insert|add|substitute)\b[^\n.:]{0,40}:[\s#*_]*$", re.IGNORECASE)
"""Words of an amendment before the provision that it inserts."""

_PROVISION = re.compile(
    r"(?:(?:Before|After|At the end of|The whole of|Heading to|Title|Schedule|Dictionary)\b"
    r"|(?:Sub)?(?:section|paragraph|clause|regulation|rule|item|article|part|chapter|division)s?\b)",
    re.IGNORECASE,
)
"""Titles of amendments name the provision that they change: "After section 22", "Subsections 23(1) and (2)"."""

_MIN_NUMBERED = 3
"""Numbered headings of a file whose title page has headings without numbers."""

_TITLE_PAGE_CHARS = 150
"""Most characters of text below a line of a title page."""

_MIN_ROWS = 3
"""Headings of one level, without text between them, that are rows."""


def read_headings(text: str, headings: Sequence[Heading], written: Iterable[Candidate]) -> list[Candidate]:
    """The marked headings that may name a section.

    Args:
        text: The revision's text.
        headings: Headings marked by the file, in order.
        written: Candidates found in the text, which read "(a)" and "ARTICLE I" as the file writes them.
    """
    by_start = {candidate.start: candidate for candidate in written}
    found = [
        candidate
        for heading in headings
        if not (_is_document_title(text, heading, headings) or FIELD_CODE.search(heading.title or ""))
        if (candidate := _candidate(heading, by_start.get(heading.start))).label or _is_title(heading.title or "")
    ]
    noted = (heading.start for heading in headings if _NOTES.match(heading.title or ""))
    notes = next((start for start in noted if start > MIN_BODY * len(text)), len(text))
    found = [one for one in found if one.start < notes or _NOTES.match(one.title or "")]
    ends = {one.start: other.start for one, other in pairwise(headings)}
    read = _without_title_page(text, _without_rows(text, list(_without_insertions(text, found))), ends)
    # Only now, as the first closing before the numbers is taken for the heading of the contents.
    return sorted([*read, closing(notes, strong=True)], key=lambda one: one.start) if notes < len(text) else read


def _is_title(words: str) -> bool:
    """Whether the words of a heading without a number name what follows; some files mark quotations as headings."""
    return words.lstrip("#")[:1].isalnum() and not is_long_sentence(words)


def _is_document_title(text: str, heading: Heading, headings: Sequence[Heading]) -> bool:
    """Whether the heading is the first words of the text and the only one of the highest level; without others, it is a title
    unless it has a number.
    """
    highest = [one for one in headings if one.level <= heading.level]
    label = _candidate(heading, None).label
    alone = len(highest) == 1 and not label[:1].isdigit() and (label == "" or len(headings) > 1)
    return alone and not text[: heading.start].strip(" \t\n#*")


def _candidate(heading: Heading, written: Candidate | None) -> Candidate:
    label, title, act = heading.label or "", heading.title or "", False
    kind: Kind = "file"
    if _CONTENTS.fullmatch(title):
        return closing(heading.start)
    if written and label and not _NUMBER.fullmatch(label):
        return written  # a list item, or an article, whose number stands in the text
    if not label:
        words = title.strip("_* ")
        if typed := next((match for pattern in _WRITTEN if (match := pattern.fullmatch(words))), None):
            label, title, act = typed["label"], typed["title"], typed.groupdict().get("dash") is not None
            kind = _KINDS.get(label.split()[0].lower(), "file")
    if label and reads_as_sentence(title):
        title = find_title(title, 0) or ""
    return Candidate(heading.start, kind, label, title.rstrip(" .:") or None, True, level=heading.level, act=act)


def _without_insertions(text: str, found: Sequence[Candidate]) -> Iterator[Candidate]:
    """Drops the headings that an amendment quotes, from "Insert:" to the amendment with the next number."""
    last = 0
    quoting = False
    for at, one in enumerate(found):
        value = leading_number(one.label)
        resumes = (value == last + 1 and _amends(found, at)) or (
            last < value <= last + MAX_GAP_IN_ACT and _PROVISION.match(one.title or "")
        )
        if one.kind == "schedule" or _NOTES.match(one.title or "") or (quoting and resumes):
            quoting = False
        elif not quoting and _INSERTS.search(text, max(one.start - 80, 0), one.start):
            quoting = True
        if quoting:
            continue
        last = value or (0 if one.kind == "schedule" else last)
        yield one


def _amends(found: Sequence[Candidate], at: int) -> bool:
    """Whether the heading is an amendment's: its title names a provision, or no other of its schedule has its number."""
    if _PROVISION.match(found[at].title or ""):
        return True
    rest = takewhile(lambda other: other.kind != "schedule", found[at + 1 :])
    return all(other.label != found[at].label for other in rest)


def _without_rows(text: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Drops runs of headings of one level that have no text of their own: rows of a table or of the contents."""
    dropped: set[int] = set()
    run: list[int] = []
    for one, other in pairwise(found):
        end = text.find("\n", one.start)
        alike = one.level == other.level and not text[end : other.start].strip()
        run = [*run, one.start] if alike else []
        if len(run) >= _MIN_ROWS - 1:
            dropped.update(run)
            if not other.label:
                dropped.add(other.start)
    return [one for one in found if one.start not in dropped]


def _without_title_page(text: str, found: list[Candidate], ends: Mapping[int, int]) -> list[Candidate]:
    """Drops headings with no number and little text, and schedules named again, before the contents or the first of several
    numbers.
    """
    numbered = [at for at, one in enumerate(found) if one.label[:1].isdigit()]
    contents = next((at for at, one in enumerate(found[: numbered[0] if numbered else None]) if one.kind == "close"), 0)
    length = numbered[0] if len(numbered) >= _MIN_NUMBERED else contents
    front, body = found[:length], found[length:]
    later = {one.label for one in body}

    def has_text(one: Candidate) -> bool:
        return len(text[text.find("\n", one.start) : ends.get(one.start, len(text))].strip()) > _TITLE_PAGE_CHARS

    return [one for one in front if (one.label not in later if one.label else one.kind == "close" or has_text(one))] + body


def closing(start: int, *, strong: bool = False) -> Candidate:
    """The end of all clauses at `start`; a strong one also ends the schedule."""
    return Candidate(start, "close", "", None, strong)


def as_marked(candidate: Candidate, level: int) -> Candidate:
    """The candidate as if the file marked it with this level."""
    return replace(candidate, kind="file", level=level)
