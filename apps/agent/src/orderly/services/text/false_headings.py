"""Drops candidates that are no headings of clauses: rows of contents, lists of schedules, the name of a file, footers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from orderly.services.text.clause_numbers import container_number
from orderly.services.text.heading_candidates import Candidate

_PAGE_NUMBER = re.compile(r"\s+\d{1,3}$")
_HEAD_CHARS = 300
"""Characters at the head of a file, with its name and title."""

_CONTENTS_ROW_CHARS = 30
"""Characters of a table of contents row beside number and title: dots, page number, white space."""

_MIN_ROWS = 3
_ROWS_SHARE = 0.25
"""Most of the length of the text below the headings that a table of contents of them has."""

_LIST_CHARS = 160
"""Characters from one schedule to the next in the list at the head of a document, where a row may not be recognised."""

_SCHEDULE_CHARS = 20_000
"""Characters between the name of a schedule in a table of contents and the schedule; a running head repeats it sooner."""

_FOOTER_TIMES = 3
_RESERVED = re.compile(r"\W*(?:reserved|intentionally|omitted|not used|deleted|repealed|\*)")
LIST_KINDS = ("paren", "letter")


def drop_contents_rows(found: list[Candidate]) -> list[Candidate]:
    """Drops the first of two headings with equal number and title if no text follows it: a row of the table of contents.

    If text follows, the second heading restates the clause in an amendment or annexure, and both stay.
    """
    last = {
        _identity(candidate): candidate.start for candidate in found if candidate.title and candidate.kind not in LIST_KINDS
    }
    headings = [candidate for candidate in found if candidate.kind not in LIST_KINDS]
    following = {one.start: other.start for one, other in pairwise(headings)}
    sections = {_identity(candidate) for candidate in found if candidate.act}
    alone = {one.label.lower(): one.start for one in found if one.kind == "schedule" and " " not in one.label}

    def in_contents(candidate: Candidate) -> bool:
        if candidate.start < alone.get(candidate.label.lower(), 0):
            return True
        if not candidate.title or candidate.kind in LIST_KINDS or last[_identity(candidate)] == candidate.start:
            return False
        if candidate.kind == "file" and not candidate.label:
            return False  # "General" under each heading of a policy
        if candidate.kind == "schedule" and _next_alike(found, candidate) - candidate.start > _SCHEDULE_CHARS:
            return True
        if not candidate.act and _identity(candidate) in sections:
            return True  # the contents of an Act list its sections without the dash
        line = len(candidate.label) + len(candidate.title)
        return following.get(candidate.start, candidate.start) - candidate.start <= line + _CONTENTS_ROW_CHARS

    rows = _find_rows(headings)
    return [candidate for candidate in found if not (candidate.start in rows or in_contents(candidate))]


def _find_rows(headings: Sequence[Candidate]) -> set[int]:
    """The starts of runs of headings that stand again further on, in the same order and with far more text below them."""
    last = {_identity(heading): heading.start for heading in headings}
    rows: set[int] = set()
    run: list[Candidate] = []
    titled = [heading for heading in headings if heading.title]
    for heading in (*titled, None):
        again = 0 if heading is None else last[_identity(heading)]
        if heading and again > heading.start and (not run or again > last[_identity(run[-1])]):
            run.append(heading)
            continue
        if len(run) >= _MIN_ROWS:
            below = last[_identity(run[-1])] - last[_identity(run[0])]
            if run[-1].start - run[0].start < _ROWS_SHARE * below:
                rows.update(one.start for one in run)
        run = []
    return rows


def _next_alike(found: Sequence[Candidate], candidate: Candidate) -> int:
    """Where the next heading with this number and title begins."""
    alike = (one.start for one in found if one.start > candidate.start and _identity(one) == _identity(candidate))
    return next(alike, candidate.start)


def drop_name_of_all(found: list[Candidate]) -> list[Candidate]:
    """Drops "ATTACHMENT A" at the head of a file that is that attachment alone, or up to its second half, if it has titled
    clauses of its own. "Exhibit 1" at the head says where the file was filed.
    """
    at = next((at for at, candidate in enumerate(found) if candidate.kind == "schedule"), None)
    if at is None or found[at].start > _HEAD_CHARS or any(one.kind != "schedule" for one in found[:at]):
        return found
    word = found[at].label.split()[0].lower()
    rest = found[at + 1 :]
    following = container_number(found[at].label) + 1
    others = any(
        one.kind == "schedule"
        and one.label.split()[0].lower() == word
        and container_number(one.label) == following
        and one.start <= found[-1].start / 2
        for one in rest
    )
    clauses = any(one.kind in ("number", "dotted") and one.strong and one.label[0].isdigit() for one in rest)
    if others or not (clauses or (word == "exhibit" and found[at].label[-1].isdigit())):
        return found
    return found[:at] + rest


def drop_schedule_lists(found: list[Candidate]) -> list[Candidate]:
    """Drops schedules named one right after the other, in a list of them. The last stays unless it is named again, or ends a
    list of three in the first half of the document.
    """
    last = {candidate.label.lower(): candidate.start for candidate in found if candidate.kind == "schedule"}
    dropped: set[int] = set()
    listed = 0
    for one, other in pairwise(found):
        row = len(one.label) + len(one.title or "") + _CONTENTS_ROW_CHARS
        alike = one.kind == other.kind == "schedule" and one.label != other.label
        at_head = other.start < found[-1].start / 2
        if alike and _is_named_after(one, other) and other.start - one.start <= _LIST_CHARS + row:
            dropped.add(one.start)
        listed = listed + 1 if alike and other.start - one.start <= (max(row, _LIST_CHARS) if at_head else row) else 0
        if listed:
            dropped.add(one.start)
            if (listed > 1 and at_head) or last[other.label.lower()] > other.start:
                dropped.add(other.start)
    return [candidate for candidate in found if candidate.start not in dropped]


def _is_named_after(one: Candidate, other: Candidate) -> bool:
    """Whether the next schedule has a lower number, as after the end of a list of schedules."""
    word = one.label.split()[0].lower()
    return word == other.label.split()[0].lower() and container_number(other.label) < container_number(one.label)


def drop_footers(text: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Drops page numbers before a line that every page repeats."""
    footers = _footer_titles([one for one in found if not _is_clause_heading(text, one)])
    return [candidate for candidate in found if (candidate.title or "").lower() not in footers]


def _is_clause_heading(text: str, found: Candidate) -> bool:
    """Whether a full stop stands between number and title, in one line, as no page number and footer have it."""
    after = found.start + len(found.label)
    return text.startswith((".", ":", ")"), after) and text[after + 1 : after + 9].lstrip(" \t")[:1] not in ("", "\n")


def _footer_titles(found: Sequence[Candidate]) -> set[str]:
    """Titles that many numbers share: page numbers before a line that every page repeats."""
    titles = {(one.title.lower(), one.label) for one in found if one.kind == "number" and one.title}
    counts = Counter(title for title, _ in titles)
    return {title for title, times in counts.items() if times > _FOOTER_TIMES and not _RESERVED.match(title)}


def _identity(candidate: Candidate) -> tuple[str, str]:
    return candidate.label, _PAGE_NUMBER.sub("", candidate.title or "").lower()[:40]
