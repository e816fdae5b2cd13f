"""Ends of placed clauses, and the clauses whose numbers are ambiguous."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from orderly.services.text.heading_titles import LONG_TITLE
from orderly.services.text.missed_numbers import is_gap
from orderly.services.text.open_clauses import PlacedHeading
from orderly.services.text.section_references import Reference, section_reference

_NEW_PARAGRAPH = re.compile(
    r"[.;:!?][\"”’)\]]*[ \t]*\n(?:[ \t]*\n\s*(?=[A-Z“\"][^\n]{55})|[*•][ \t]+(?=\S)|[ \t]*(?=[A-Z“\"][^\n]{90})"
    r"|[ \t]*(?=[“\"][A-Za-z][^”\"\n]{1,60}[”\"][^\n]{0,40}\b(?:means?|has the meaning|includes?|refers?)\b))"
)
"""A paragraph after an item: after a blank line, as a long line, or as the next definition."""

_CAPITALS = re.compile(r"\n(?=[ \t]*[A-Z][A-Z &,’'/()-]{8,70}[A-Z)][ \t]*\n)")
"""A line in capitals: a heading that no number announces."""

_NAMED_SCHEDULE = re.compile(r"\n(?=[ \t]*(?:[A-Z][A-Z&’'/-]+ ){1,6}(?:SCHEDULE|EXHIBIT|ANNEXURE|APPENDIX)[ \t]*\n)")
"""The heading of a schedule that has a name instead of a number."""

_FLUSH_TEXT = re.compile(r"[^\n]*[,;—]\n\n[ \t]*(?=[a-z]+,? [a-z])")
"""An item up to the words after its list, which continue the sentence before the list, as Acts have them."""

_MIN_SHARE = 0.5
"""Least share of a text that its clauses cover, if they have no titles."""

_MIN_LIST = 3
_MAX_TIMES = 6
"""How much longer than half of the others a clause without a title may be."""

_MIN_REACH = 3000
"""Characters that such a clause may have in any case."""

_ROW_CHARS = 80
"""Characters of the items of a list of names."""

_ITEM_KINDS = ("paren", "letter")
_CLAUSE_KINDS = ("number", "dotted", "article")
_UNIQUE_KINDS = ("number", "dotted", "article", *_ITEM_KINDS)


def find_ends(text: str, placed: Sequence[PlacedHeading], closings: Sequence[tuple[int, int]]) -> list[int]:
    """Ends of the clauses: where the next one of the same depth begins, or earlier, at a signature block."""
    ends = [len(text)] * len(placed)
    open_at: list[int] = []

    def close(offset: int, depth: int) -> None:
        while open_at and placed[open_at[-1]].depth >= depth:
            ends[open_at.pop()] = offset

    named = [(heading.start() + 1, 0) for heading in _NAMED_SCHEDULE.finditer(text)]
    upcoming = sorted([*closings, *named], reverse=True)
    for ordinal, item in enumerate(placed):
        while upcoming and upcoming[-1][0] <= item.candidate.start:
            close(*upcoming.pop())
        close(item.candidate.start, item.depth)
        open_at.append(ordinal)
    while upcoming:
        close(*upcoming.pop())
    _cut_before_flush_lists(placed, ends)
    _cut_last_items(text, placed, ends)
    _cut_overlong(text, placed, ends)
    return ends


def _cut_before_flush_lists(placed: Sequence[PlacedHeading], ends: list[int]) -> None:
    """Ends the last clause of a list where numbers restart that stand no further in: whose list that is, no one can tell."""
    last = {item.list_id: ordinal for ordinal, item in enumerate(placed)}
    for item in placed:
        above = None if item.parent is None or item.kind != "number" or item.candidate.inline else placed[item.parent]
        if above is None or above.kind != "number" or above.candidate.level or item.candidate.indent > above.candidate.indent:
            continue  # a heading that the file marks has lists of its own
        if item.parent is not None and last[above.list_id] == item.parent:
            _end_at(placed, ends, item.parent, item.candidate.start)


def _end_at(placed: Sequence[PlacedHeading], ends: list[int], ordinal: int, end: int) -> None:
    """Ends a clause at an offset. The clauses within it that follow this end lose their length."""
    whole = ends[ordinal]
    ends[ordinal] = min(end, whole)
    for inner in range(ordinal + 1, len(placed)):
        if placed[inner].candidate.start >= whole:
            break
        ends[inner] = min(ends[inner], max(placed[inner].candidate.start, end))


def _cut_overlong(text: str, placed: Sequence[PlacedHeading], ends: list[int]) -> None:
    """Ends a clause without a title, or a name in a list of names, where it is far longer than the others: what follows is
    another's.
    """
    lists: dict[int, list[int]] = {}
    for ordinal, item in enumerate(placed):
        if item.kind == "number":
            lists.setdefault(item.list_id, []).append(ordinal)
    for ordinals in (one for one in lists.values() if len(one) >= _MIN_LIST):
        usual = median(ends[ordinal] - placed[ordinal].candidate.start for ordinal in ordinals)
        for ordinal in ordinals:
            weak = placed[ordinal].weak
            reach = placed[ordinal].candidate.start + int(max(_MIN_REACH if weak else 0, _MAX_TIMES * usual))
            end = text.find("\n", reach, ends[ordinal]) if weak or usual < _ROW_CHARS else -1
            if end >= 0:
                _end_at(placed, ends, ordinal, end)


def _is_list_item(placed: Sequence[PlacedHeading], item: PlacedHeading) -> bool:
    """Whether the item stands in a clause, unlike the clauses of a contract that are numbered 1, 2, 3 without titles."""
    above = None if item.parent is None else placed[item.parent]
    return item.kind != "number" or (above is not None and above.kind in ("number", "dotted"))


def _cut_last_items(text: str, placed: Sequence[PlacedHeading], ends: list[int]) -> None:
    """Ends the last item of a list, and one whose successor is missing, where a new paragraph begins: it may belong to the
    clause above the list.
    """
    items = [(ordinal, item) for ordinal, item in enumerate(placed) if item.weak and _is_list_item(placed, item)]
    last: dict[int, int] = {}
    cut: list[int] = []
    for ordinal, item in items:
        before = last.get(item.list_id)
        if before is not None and item.kind in _ITEM_KINDS and is_gap(placed[before].candidate.label, item.candidate.label):
            cut.append(before)
        last[item.list_id] = ordinal
    for ordinal, item in enumerate(placed):
        if (item.weak or item.kind in _ITEM_KINDS) and (heading := _CAPITALS.search(text, item.candidate.start, ends[ordinal])):
            ends[ordinal] = heading.start()
    for ordinal in sorted((*last.values(), *cut), reverse=True):
        within = ordinal
        while within + 1 < len(placed) and placed[within + 1].candidate.start < ends[ordinal]:
            within += 1
        start = placed[within].candidate.start
        new = _NEW_PARAGRAPH.search(text, start, ends[ordinal])
        if new is None and within == ordinal and text[max(start - 20, 0) : start].rstrip(" \t").endswith("\n\n"):
            new = _FLUSH_TEXT.match(text, start, ends[ordinal])
        if new:
            for inner in range(ordinal, within + 1):
                ends[inner] = min(ends[inner], new.end())


def is_list_in_prose(text: str, placed: Sequence[PlacedHeading], ends: Sequence[int]) -> bool:
    """Whether all that is numbered are lists without titles, or titles without clauses, in a smaller part of the text."""
    outermost = [(item, ends[ordinal] - item.candidate.start) for ordinal, item in enumerate(placed) if item.parent is None]
    untitled = all(item.weak or item.kind in _ITEM_KINDS for item, _ in outermost)
    rows = len(outermost) > _MIN_LIST and all(length <= LONG_TITLE for _, length in outermost[:-1])
    covered = sum(max(0, length) for _, length in outermost)
    return bool(outermost) and (untitled or rows) and covered < _MIN_SHARE * len(text)


def find_ambiguous(placed: Sequence[PlacedHeading]) -> set[int]:
    """Finds the clauses of a list whose numbers another list has too: recitals before the clauses, two lists in one clause."""
    lists: dict[int, list[int]] = {}
    for ordinal, item in enumerate(placed):
        if item.kind in _UNIQUE_KINDS and item.label and not item.hidden:
            lists.setdefault(-1 if item.kind == "article" else item.list_id, []).append(ordinal)
    owner: dict[tuple[bool, Reference], int] = {}
    owners: dict[tuple[bool, Reference], list[int]] = {}
    lost: set[int] = set()
    for list_id in sorted(lists, key=lambda one: _standing(placed, lists[one]), reverse=True):
        items = placed[lists[list_id][0]].kind in _ITEM_KINDS or _is_below_name(placed, placed[lists[list_id][0]])
        labels = [placed[ordinal].label for ordinal in lists[list_id]]
        references = [(items, (label,) if items else section_reference(label)) for label in labels]
        if any(owner.get(reference, list_id) != list_id for reference in references):
            lost.update(lists[list_id])
            if items:
                lost.update(other for reference in references for other in owners.get(reference, ()))
        else:
            owner.update(dict.fromkeys(references, list_id))
            owners.update(dict.fromkeys(references, lists[list_id]))
    doubtful = {ordinal for ordinal, item in enumerate(placed) if item.candidate.doubtful}
    lost |= doubtful | _recitals(placed)
    for ordinal, item in enumerate(placed):
        rootless = item.kind == "paren" and item.parent is None and item.candidate.label[1:2].isalpha()
        whole = item.kind == "dotted" and item.parent in doubtful  # "7.1" needs no certain "7"
        if (item.parent in lost and not whole) or rootless or (item.kind in _ITEM_KINDS and _is_below_name(placed, item)):
            lost.add(ordinal)
    return lost


def _recitals(placed: Sequence[PlacedHeading]) -> set[int]:
    """The lettered paragraphs before the first numbered clause: they are cited as recitals, not as sections."""
    first = next((ordinal for ordinal, item in enumerate(placed) if item.parent is None and item.kind in _CLAUSE_KINDS), 0)
    return {at for at, item in enumerate(placed[:first]) if item.kind == "letter" and item.parent is None and item.weak}


def _is_below_name(placed: Sequence[PlacedHeading], item: PlacedHeading) -> bool:
    """Whether the item stands right below a Part, or a heading without a number, as the lists of a policy do."""
    above = None if item.parent is None else placed[item.parent]
    named = above is not None and (above.kind in ("part", "division") or (above.kind == "file" and not above.label))
    return named and (
        item.kind in _ITEM_KINDS or (above is not None and above.kind == "file" and item.candidate.kind != "file")
    )


def _standing(placed: Sequence[PlacedHeading], ordinals: Sequence[int]) -> tuple[int, int, int]:
    """Clauses that the file marks, titled clauses, all clauses of a list: of two lists with equal numbers, the higher one
    keeps its labels.
    """
    marked = sum(placed[ordinal].candidate.kind == "file" for ordinal in ordinals)
    return marked, sum(not placed[ordinal].weak for ordinal in ordinals), len(ordinals)
