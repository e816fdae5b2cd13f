"""Sentences and list items of a stored text, with the lead-in of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from orderly.models import Span

_REACH = 4_000
"""Characters searched on each side."""

_PAREN_ITEM = r"\(?(?:[a-zA-Z]{1,2}|[ivxlIVXL]{1,6}|\d{1,3})\)|[-•▪●◦*–—☐☑☒□]"
_NUMBER_ITEM = r"(?:\d{1,3}\.)+\d{0,3}|\d{1,3}(?=\s+[A-Z])|[A-Z]\.|[ivx]{1,4}\."
_ITEM = re.compile(rf"\s*(?:(?P<paren>{_PAREN_ITEM})|(?P<number>{_NUMBER_ITEM}))\s+")
_GAP = re.compile(
    r"(?P<blank>\n[ \t\f]*\n\s*)"
    rf"|(?P<line>[ \t]*\n)(?=[ \t]*(?:{_PAREN_ITEM}|{_NUMBER_ITEM})\s)"
    r"|(?P<stop>[.?!][\"”’)\]]*)\s+(?=[“\"‘(\[]?[A-Z\d])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Nos?|Inc|Ltd|Pty|Co|Corp|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs?|cls?|ss?|Sec|Art|paras?|pp?|e\.g|i\.e|etc|approx|al|Cth|U\.S|U\.K)"
    r"|\b[A-Z]|(?:^|\s)\(?(?:[ivx]{1,4}|\d{1,3}(?:\.\d{1,3})*))\Z"
)
_NUMBER_ALONE = re.compile(r"^[ \t]*\(?\w{1,4}(?:\.\d{1,3})*\Z", re.MULTILINE)
_CLOSED = re.compile(r"[.;!?][\"”’)\]]*\s*(?:(?:and|or)\s*)?\Z")
_TAIL = re.compile(r"[,;][ \t]*\n\s*(?=[a-z]{3})")
_OPEN = re.compile(r"(?::|:?[—–]|\b(?:that|means|must|may|shall|will|not|if|of|to))[*_]*\s*\Z")
"""The end of a passage whose list follows it."""
_INTRODUCES = re.compile(
    r"(?:[:,—–-]|\b(?:to|that|shall|must|will|may|can|not|if|where|when|by|of|for|the|following|is|are|be|means|includ(?:e|es|ing)|and|or|either"
    r"|as|in|on|upon|with|from|who|which|has|have|unless|until|after|before))[*_]*\s*\Z",
    re.IGNORECASE,
)
"""The end of words that introduce a list. A heading has none of these."""
_AFTER = re.compile(r"\s*(?=\S)")
_MARK = 12
"""Characters that hold the mark of an item and the beginning of its words."""
_LETTERED = re.compile(r"(?:[-•▪●◦*–—☐☑☒□]\s+)?[*_]*\((?P<mark>[a-zA-Z]{1,4}|\d{1,3}[A-Z]{0,2})\)")
_ROMAN = re.compile(r"[ivxl]+")
_INLINE_ITEM = re.compile(r"(?<![\w)])\((?:[a-z]{1,2}|[ivxl]{1,5}|\d{1,2}|[A-Z])\)\s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence or list item around a span."""

    start: int
    end: int
    lead: Span | None = None
    """The unfinished sentence that introduces the list of this item."""
    tail: Span | None = None
    """The end of that sentence, after the list's last item."""


_NEAR, _MARGIN = 400, 40
"""Characters in which most sentences begin, and those at their beginning in which a gap may not be read right."""


def sentence_around(text: str, start: int, end: int) -> Sentence:
    """Finds the sentence or list item that contains the span."""
    first = _start_before(text, start)
    last = _end_after(text, end)
    item = _ITEM.match(text, first, max(start, first) + 8)
    if item is None or item.end() > end:
        return Sentence(first, last)
    lead = _find_lead(text, first, "paren" if item["paren"] else "number")
    return Sentence(first, last, lead, _find_tail(text, last) if lead else None)


def list_around(text: str, start: int, end: int) -> Span | None:
    """The list of the item that contains the span, with the words that introduce it, up to its last item.

    None if the span is in no list, or in one that nothing but a heading precedes.
    """
    item = sentence_around(text, start, end)
    if item.lead is None or not _INTRODUCES.search(text[slice(*item.lead)]):
        return None
    high, last = min(item.lead[0] + _REACH, len(text)), item.end
    kind = _kind(text[item.start : item.end])
    starts = [(finished, first) for finished, first in _breaks(text, max(item.end - 1, 0), high) if first > item.end]
    ends = [finished for finished, _ in starts[1:]]
    for (_, first), finished in zip(starts, ends, strict=False):
        if _kind(text[first:finished]) != kind:
            break
        last = finished
    tail = _find_tail(text, last)
    return item.lead[0], tail[1] if tail else last


def end_with_list(text: str, start: int, end: int, longest: int) -> int:
    """The end of a passage, or of the list that its last words introduce, if both have at most `longest` characters."""
    if not _OPEN.search(text, start, end):
        return end
    after = _AFTER.match(text, end)
    first = after.end() if after else end
    listed = list_around(text, first, min(first + _MARK, len(text)))
    if listed is None or listed[0] > end or listed[1] - start > longest:
        return end
    return max(end, listed[1])


def _kind(item: str) -> str | None:
    """The kind of number with which an item begins; None for no item."""
    number = _ITEM.match(item)
    return None if number is None else "paren" if number["paren"] else f"number of {_depth(item)}"


def inline_items(text: str) -> list[int]:
    """Offsets of the items "(a)", "(ii)" inside a sentence."""
    return [match.start() for match in _INLINE_ITEM.finditer(text)]


def _breaks(text: str, start: int, end: int) -> Iterator[Span]:
    """Gaps between sentences and list items: the end of one and the start of the next."""
    for gap in _GAP.finditer(text, start, end):
        before, after = text[max(gap.start() - 12, 0) : gap.start()], text[gap.end() : gap.end() + 1]
        if gap["stop"] and gap["stop"][0] == "." and _ABBREVIATION.search(before) and not _ends_line(text, gap, before):
            continue
        if gap["blank"] and after.islower() and not _ITEM.match(text, gap.end()) and before.rstrip()[-1:] not in ".;:":
            continue  # a sentence that a page break divides
        yield gap.end("stop") if gap["stop"] else gap.start(), gap.end()


def _ends_line(text: str, gap: re.Match[str], before: str) -> bool:
    """Whether a line ends with a number, or an item begins on the next one; "1." at a line's beginning is a number."""
    is_end = before[-1:].isdigit() or _ITEM.match(text, gap.end()) is not None
    return is_end and "\n" in gap[0] and _NUMBER_ALONE.search(before) is None


def _start_before(text: str, start: int) -> int:
    for reach in (_NEAR, _REACH):
        low = first = max(start - reach, 0)
        for _, first_after in _breaks(text, low, min(start + 1, len(text))):
            if first_after <= start:
                first = first_after
        if first > low + _MARGIN:
            break
    while first < start and text[first].isspace():
        first += 1
    return first


def _end_after(text: str, end: int) -> int:
    high = min(end + _REACH, len(text))
    at = max(end - 1, 0)
    for finished, _ in _breaks(text, at, high):
        if finished >= end:
            return finished
        if text[at:end].rstrip() and finished >= at:
            return end
    return at + len(text[at:high].rstrip())


def _find_lead(text: str, before: int, kind: str) -> Span | None:
    """The text that introduces the items before `before`: the nearest one that is no closed item of that list."""
    low = max(before - _REACH, 0)
    starts = [low, *(after for _, after in _breaks(text, low, before + 1) if after <= before)]
    spans = [(a, b) for a, b in zip(starts, [*starts[1:], before], strict=True) if text[a:b].strip()]
    for start, end in reversed(spans):
        segment = text[start:end]
        item = _ITEM.match(segment)
        if _CLOSED.search(segment):
            if item is None or (item["number"] and kind == "paren"):
                return None
            continue
        if item is not None and item["number"] and kind == "number":
            if _depth(segment) == _depth(text[before : before + 40]):
                continue  # an item of the same list that has a list of its own
            if not _is_below(_number(text[before : before + 40]), _number(segment)):
                return None
        if _is_beside(segment, text[before : before + _MARK], text[end:before]):
            continue
        if item is None or not item["paren"] or segment.rstrip()[-1] in ":—–-":
            return start, start + len(segment.rstrip())
    return None


def _is_beside(earlier: str, item: str, between: str) -> bool:
    """Whether an earlier item, "(c)", stands in the same list as an item, "(f)", so that it does not introduce it."""
    first, second = _LETTERED.match(earlier.lstrip()), _LETTERED.match(item.lstrip())
    if first is None or second is None:
        return False
    one, other = first["mark"], second["mark"]
    if one[0].isdigit() or other[0].isdigit():
        return one[0].isdigit() and other[0].isdigit()
    if one.isupper() or other.isupper():
        return one.isupper() and other.isupper() and one < other
    if _ROMAN.fullmatch(other) and not _ROMAN.fullmatch(one):  # "(i)" is the first below "(c)", unless it follows "(h)"
        return len(other) == 1 and f"({chr(ord(other) - 1)})" in between
    return len(one) > 1 or len(other) > 1 or one < other


def _number(item: str) -> list[str]:
    """The parts of an item's number: 1 and 2 of "1.2"."""
    number = _ITEM.match(item[:40])
    return re.findall(r"\w+", number[0]) if number else []


def _depth(item: str) -> int:
    """The number of parts of an item's number: 2 of "1.2", 1 of "3."."""
    return len(_number(item))


def _is_below(number: list[str], upper: list[str]) -> bool:
    """Whether an item can stand in the list of an upper one: "4.1" below "4", and not below "3"; "1" and "i" below any."""
    return len(number) < 2 or number[: len(upper)] == upper[: len(number)]


def _find_tail(text: str, after: int) -> Span | None:
    """The text after the last item if it goes on in lower case: "without the consent of the other party"."""
    high = min(after + _REACH, len(text))
    at = after
    for finished, following in [*_breaks(text, max(after - 1, 0), high), (high, high)]:
        if finished > at:
            segment = text[at:finished]
            if last_item := _TAIL.search(segment):
                return at + last_item.end(), finished
            if not _ITEM.match(segment.lstrip()):
                first = at + len(segment) - len(segment.lstrip())
                return (first, finished) if text[first : first + 1].islower() else None
        at = following
    return None
