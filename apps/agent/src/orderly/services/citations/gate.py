"""The citation gate: one decision for every door. A quotation passes only if it stands in the stored text, where it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from orderly.services.text import Nearest, RevisionView, cut_occurrence, denied_by, nearest, occurrences, plain, touches

MIN_QUOTE = 12
"""Characters. Shorter strings stand in any contract by chance and prove nothing, unless something else says where."""

_OMISSION = re.compile(r"\s*[\[(]?\s*(?:\.\s?\.\s?\.(?:\s?\.)?|…)\s*[\])]?\s*")

Span = tuple[int, int]
Reason = Literal["empty", "short", "elsewhere", "joined", "cut", "denied", "altered", "absent"]


@dataclass(frozen=True, slots=True)
class Stands:
    """The quotation is `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The quotation is not shown, and why."""

    reason: Reason
    message: str
    """The exact difference, in a sentence."""
    instead: Span | None = None
    """What the document says at the nearest place."""
    parts: tuple[tuple[str, Stands | Refused], ...] = ()
    """Of a join with a mark of omission: each part, which can be quoted by itself if it stands."""


Decision = Stands | Refused


def decide(
    quote: str,
    view: RevisionView,
    *,
    page: int | None = None,
    start: int | None = None,
    within: Sequence[Span] = (),
) -> Decision:
    """Whether `quote` stands in the revision.

    Args:
        quote: The claimed words, without quotation marks.
        view: The revision claimed as their source.
        page: The physical page claimed. The quotation must stand there at least in part; without meaning where the format has
            no pages.
        start: The offset claimed. The quotation must stand exactly there.
        within: Passages that the quotation is known to come from. Where it stands in several places, one of these counts.
            They also say where a short quotation comes from.
    """
    words = plain(quote)
    if not any(char.isalnum() for char in words):
        return Refused("empty", "There are no words in the quotation.")
    found = _places(quote, view, start)
    if not found and start is not None and (other := _places(quote, view, None)):
        return Refused("elsewhere", f"The words stand at offset {other[0][0]}, not at {start}.", other[0])
    if not found:
        return _missing(quote, view, page)
    if page is not None and view.paged:
        on_page = [span for span in found if _on_page(span, view, page)]
        if not on_page:
            where = view.page_at(found[0][0])
            return Refused("elsewhere", f"The words stand on page {where}, not on page {page}.", found[0])
        found = on_page
    found.sort(key=lambda span: not any(touches(span, passage) for passage in within))
    if len(words) < MIN_QUOTE and start is None and not any(a <= found[0][0] and found[0][1] <= b for a, b in within):
        message = f"A quotation of fewer than {MIN_QUOTE} characters proves nothing: quote more of the sentence."
        return Refused("short", message, found[0])
    for span in found:
        if denied_by(view.text, span[0]) is None:
            return Stands(*span)
    from_negator = denied_by(view.text, found[0][0])
    whole = (found[0][0] if from_negator is None else from_negator, found[0][1])
    leading = " ".join(view.text[whole[0] : found[0][0]].split())
    return Refused("denied", f'The quotation leaves out "{leading}", which stands right before it and denies it.', whole)


def _places(quote: str, view: RevisionView, start: int | None) -> list[Span]:
    """As the pages show it, or as it reads when running heads and feet are passed over."""
    found = _distinct(occurrences(quote, view.text)) or _distinct(occurrences(quote, view.flowing_text))
    return found if start is None else [span for span in found if span[0] == start]


def _distinct(spans: Iterable[Span]) -> list[Span]:
    return list(dict.fromkeys(spans))


def _on_page(span: Span, view: RevisionView, page: int) -> bool:
    return any(p["number"] == page and touches(span, (p["start"], p["end"])) for p in view.pages)


def _missing(quote: str, view: RevisionView, page: int | None) -> Refused:
    parts = [part for part in _OMISSION.split(quote) if part.strip()]
    if len(parts) > 1:
        checked = tuple((part, decide(part, view, page=page)) for part in parts)
        return Refused("joined", "The quotation joins separate places. Quote each of them by itself.", parts=checked)
    if cut := cut_occurrence(quote, view.flowing_text):
        return Refused(
            "cut", "The quotation begins or ends inside a word or a number of the document.", _whole_words(view.text, cut)
        )
    like = nearest(quote, view.text)
    if like is None:
        return Refused("absent", "Nothing like these words stands in the document.")
    return Refused("altered", _altered(like), (like.start, like.end))


def _altered(like: Nearest) -> str:
    if not like.changes:
        return "The words stand in the document with other spacing, punctuation or capitals."
    more = f"; and {like.more} more differences" if like.more else ""
    return f"The document says it differently: {'; '.join(map(str, like.changes))}{more}."


def _whole_words(text: str, span: Span) -> Span:
    start, end = span
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end
