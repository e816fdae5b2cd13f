"""Pairs the quotation marks of a paragraph, in one pass per family of marks.

Each family (curly, angle, corner, straight) is paired alone, so that a mark of one family inside a quotation of another one
is text. Marks left over are paired across families afterwards: writers also mix them (“like this").
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from orderly.models import Span

_OPENERS = {**dict.fromkeys("“„‟❝〝", "curly"), "«": "angle", **dict.fromkeys("「『《〈", "corner")}
_CLOSERS = {**dict.fromkeys("”❞〞〟", "curly"), "»": "angle", **dict.fromkeys("」』》〉", "corner")}
_STRAIGHT = ('"', "″", "＂", "''")
OPENING_MARKS = "".join(_OPENERS) + '"″＂'
CLOSING_MARKS = "".join(_CLOSERS) + '"″＂'
_SINGLE_CLOSING = {"‘": "’", "‛": "’", "‚": "‘’", "'": "'", "’": "’", "‹": "›", "❛": "❜"}
"""Opening single mark to its closing marks. An apostrophe may look like a closing mark."""
_FAMILIES = {**_OPENERS, **_CLOSERS, **dict.fromkeys(_STRAIGHT, "straight")}
_SINGLES = frozenset("".join([*_SINGLE_CLOSING, *_SINGLE_CLOSING.values()]))

_MARK = re.compile(rf"&(?:#\d{{2,5}}|#[xX][\da-fA-F]{{2,4}}|[a-z]{{3,6}});|''|`+|[{''.join(_FAMILIES)}{''.join(_SINGLES)}]")


class Mark(NamedTuple):
    start: int
    end: int
    sign: str
    """The mark itself; an HTML entity is decoded."""
    before: str
    """Character before the mark; empty at the start of the text."""
    after: str


class Pair(NamedTuple):
    start: int
    end: int
    inner: Span
    """The span between the marks."""


@dataclass(slots=True)
class PairedMarks:
    pairs: list[Pair] = field(default_factory=list)
    code: list[Pair] = field(default_factory=list)
    """Code spans."""
    unclosed: list[Mark] = field(default_factory=list)
    """Opening marks, except single ones, that nothing closes."""
    stray: list[Span] = field(default_factory=list)
    """Curly marks that belong to no pair."""
    open_from: int | None = None
    """First offset whose pairing more text may change; None if there is none."""


def pair_marks(text: str, start: int, end: int, *, complete: bool) -> PairedMarks:
    """Pairs the marks of `text[start:end]`, one paragraph.

    Args:
        text: The text that holds the paragraph.
        start: Offset of the paragraph.
        end: Its end.
        complete: Whether the paragraph is complete. If not, a mark at its end and marks still open are undecided.
    """
    marks = list(_find_marks(text, start, end))
    found = PairedMarks()
    waiting: list[int] = []
    if not complete and marks and marks[-1].end == end:
        waiting.append(marks.pop().start)  # the next character decides about this mark
    unmatched_code = _pair_code(marks, found)
    waiting += [mark.start for mark in unmatched_code]
    openers, closers = _pair_families([m for m in marks if m.sign in _FAMILIES], found)
    openers += [mark for mark in unmatched_code if mark.sign == "``"]
    waiting += [mark.start for mark in (*openers, *(c for c in closers if _may_open(c)))]
    if (single := _pair_singles((m for m in marks if m.sign in _SINGLES), found)) is not None:
        if complete and single[1] is not None:
            found.pairs.append(_pair(*single))
        waiting.append(single[0].start)
    if complete:
        _pair_leftovers(openers, closers, found)
    else:
        found.open_from = min(waiting, default=None)
    return found


def _find_marks(text: str, start: int, end: int) -> Iterable[Mark]:
    for match in _MARK.finditer(text, start, end):
        sign = html.unescape(match[0]) if match[0][0] == "&" else match[0]
        if sign in _FAMILIES or sign in _SINGLES or sign[0] == "`":
            at, to = match.span()
            yield Mark(at, to, sign, text[at - 1 : at] if at > start else "", text[to : to + 1] if to < end else "")


def _pair(opening: Mark, closing: Mark | None) -> Pair:
    assert closing is not None
    return Pair(opening.start, closing.end, (opening.end, closing.start))


def _pair_code(marks: Sequence[Mark], found: PairedMarks) -> list[Mark]:
    """Pairs runs of backticks of equal length. Returns the runs without a partner."""
    runs = [mark for mark in marks if mark.sign[0] == "`"]
    following: list[int | None] = []
    latest: dict[str, int] = {}
    for n in range(len(runs) - 1, -1, -1):
        following.append(latest.get(runs[n].sign))
        latest[runs[n].sign] = n
    following.reverse()
    unmatched, n = [], 0
    while n < len(runs):
        partner = following[n]
        if partner is None:
            unmatched.append(runs[n])
            n += 1
        else:
            found.code.append(_pair(runs[n], runs[partner]))
            n = partner + 1
    return unmatched


def _pair_families(marks: Iterable[Mark], found: PairedMarks) -> tuple[list[Mark], list[Mark]]:
    """Pairs the marks of each family. Returns opening and closing marks without a partner."""
    stacks: dict[str, list[Mark]] = {}
    closers = []
    for mark in marks:
        stack = stacks.setdefault(_FAMILIES[mark.sign], [])
        if _opens(mark, stack):
            stack.append(mark)
        elif stack:
            found.pairs.append(_pair(stack.pop(), mark))
        else:
            closers.append(mark)
    return [mark for stack in stacks.values() for mark in stack], closers


def _opens(mark: Mark, stack: Sequence[Mark]) -> bool:
    """Whether the mark opens a quotation, given the open marks of its family."""
    if mark.sign in _STRAIGHT:
        if not mark.after or mark.after.isspace():
            return False
        if stack:
            return _follows_gap(mark)
        return not mark.before.isdigit()
    if mark.sign == "“":
        return not (stack and stack[-1].sign == "„" and mark.before.strip())
    if mark.sign == "«":
        return not (stack and stack[-1].sign == "»")
    if mark.sign == "»":
        return not stack and _may_open(mark)
    return mark.sign in _OPENERS


def _follows_gap(mark: Mark) -> bool:
    return not mark.before or mark.before.isspace() or mark.before in "([*_—–-"


def _may_open(mark: Mark) -> bool:
    """Whether a closing mark may open a quotation, as in ”this” and »this«."""
    return _follows_gap(mark) and bool(mark.after.strip())


def _pair_leftovers(openers: Sequence[Mark], closers: Sequence[Mark], found: PairedMarks) -> None:
    opening: Mark | None = None
    alone: list[Mark] = []
    leftover = sorted([*((mark, True) for mark in openers), *((mark, False) for mark in closers)])
    for mark, opens in leftover:
        if opening is not None and (not opens or (mark.sign in _STRAIGHT and opening.sign in _STRAIGHT)):
            found.pairs.append(_pair(opening, mark))
            opening = None
        elif opens or _may_open(mark):
            alone += [opening] if opening is not None else []
            opening = mark
        else:
            alone.append(mark)
    alone += [opening] if opening is not None else []
    opened = set(openers)
    found.unclosed = [mark for mark in alone if mark in opened]
    found.stray = [(mark.start, mark.end) for mark in alone if _FAMILIES.get(mark.sign) == "curly"]


def _pair_singles(marks: Iterable[Mark], found: PairedMarks) -> tuple[Mark, Mark | None] | None:
    """Pairs single marks. Returns the last opening mark that is still open, with a mark after "s" that may close it.

    A closing mark after "s" may be a possessive; then a later closing mark ends the quotation, if there is one.
    """
    opening: Mark | None = None
    possessive: Mark | None = None
    for mark in marks:
        if opening is not None and mark.sign in _SINGLE_CLOSING[opening.sign] and not _is_word(mark.after):
            if mark.sign != "›" and mark.before in "sS" and mark.after.isspace():
                possessive = possessive or mark
            else:
                found.pairs.append(_pair(opening, mark))
                opening = possessive = None
        elif _opens_single(mark):
            if opening is not None and possessive is not None:
                found.pairs.append(_pair(opening, possessive))
            opening, possessive = mark, None
    return None if opening is None else (opening, possessive)


def _opens_single(mark: Mark) -> bool:
    if mark.sign not in _SINGLE_CLOSING or _is_word(mark.before) or mark.before in ("’", "'"):
        return False
    return bool(mark.after.strip()) and mark.after != "'"


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
