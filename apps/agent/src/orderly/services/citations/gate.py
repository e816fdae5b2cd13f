"""The citation gate: accepts a quotation only if the stored text has it at the claimed place. Every interface uses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from orderly.models import Span
from orderly.services.citations.cited_sections import describe_section, stands_in_section
from orderly.services.text import (
    NearestMatch,
    RevisionView,
    citation_label,
    cuts_words,
    find_cut_occurrence,
    find_nearest,
    find_negation,
    find_occurrences,
    normalise_text,
    spans_overlap,
)
from orderly.store.functions.revisions import Section

MIN_QUOTE = 12
"""Characters. Shorter strings occur in any contract by chance; they need an offset or a known passage as support."""

_OMISSION = re.compile(r"(?:(?<!\s)\s++)?(?:[\[(]\s*+)?(?:\.\s?\.\s?\.(?:\s?\.)?|…)\s*+[\])]?\s*+")

Reason = Literal["empty", "short", "elsewhere", "joined", "cut", "denied", "altered", "absent"]


@dataclass(frozen=True, slots=True)
class Verified:
    """The quotation is `text[start:end]` of the revision."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The quotation is refused."""

    reason: Reason
    message: str
    """The exact difference, in one sentence."""
    instead: Span | None = None
    """Span of the nearest place in the document."""
    parts: tuple[tuple[str, Verified | Refused], ...] = ()
    """For a quotation joined with an ellipsis: each part with its own decision."""


Decision = Verified | Refused


def decide(
    quote: str,
    view: RevisionView,
    *,
    page: int | None = None,
    start: int | None = None,
    section: str = "",
    within: Sequence[Span] = (),
) -> Decision:
    """Decides whether the revision contains `quote`.

    Args:
        quote: The claimed words, without quotation marks.
        view: The revision claimed as their source.
        page: The claimed physical page, which must contain part of the quotation. Ignored for formats without pages.
        start: The claimed offset, which must match exactly.
        section: The claimed section, by its id or as a citation names it; it must contain the beginning of the quotation.
        within: Passages known as sources. They are preferred among several occurrences, and they support short quotations.
    """
    words = normalise_text(quote)
    if not any(char.isalnum() for char in words):
        return Refused("empty", "There are no words in the quotation.")
    found = _find_places(quote, view, start)
    if not found and start is not None and (other := _find_places(quote, view, None)):
        return Refused("elsewhere", f"The words stand at offset {other[0][0]}, not at {start}.", other[0])
    if not found:
        return _explain_absence(quote, view, page)
    claimed = _claimed_places(found, view, page, section)
    if isinstance(claimed, Refused):
        return claimed
    found = claimed
    found.sort(key=lambda span: not any(spans_overlap(span, passage) for passage in within))
    if len(words) < MIN_QUOTE and start is None and not any(a <= found[0][0] and found[0][1] <= b for a, b in within):
        message = f"A quotation of fewer than {MIN_QUOTE} characters proves nothing: quote more of the sentence."
        return Refused("short", message, found[0])
    for span in found:
        if find_negation(view.text, span[0]) is None:
            return Verified(*span)
    from_negator = find_negation(view.text, found[0][0])
    whole = (found[0][0] if from_negator is None else from_negator, found[0][1])
    leading = " ".join(view.text[whole[0] : found[0][0]].split())
    return Refused("denied", f'The quotation leaves out "{leading}", which stands right before it and denies it.', whole)


def _find_places(quote: str, view: RevisionView, start: int | None) -> list[Span]:
    """Finds occurrences in the text as stored, else in the text without page headers and footers."""
    found = _distinct(find_occurrences(quote, view.text)) or _distinct(find_occurrences(quote, view.flowing_text))
    return found if start is None else [span for span in found if span[0] == start]


def _distinct(spans: Iterable[Span]) -> list[Span]:
    return list(dict.fromkeys(spans))


def _on_page(span: Span, view: RevisionView, page: int) -> bool:
    return any(p["number"] == page and spans_overlap(span, (p["start"], p["end"])) for p in view.pages)


def _claimed_places(found: list[Span], view: RevisionView, page: int | None, section: str) -> list[Span] | Refused:
    """The places on the claimed page and in the claimed section; else where the words stand."""
    if page is not None and view.paged:
        on_page = [span for span in found if _on_page(span, view, page)]
        if not on_page:
            message = f"The words stand on page {view.page_at(found[0][0])}, not on page {page}."
            return Refused("elsewhere", message, found[0])
        found = on_page
    in_section = [span for span in found if not section or _in_section(span, view, section)]
    if not in_section:
        message = f"The words stand in {describe_section(view, found[0][0])}, not in {_section_name(view, section)}."
        return Refused("elsewhere", message, found[0])
    return in_section


def _in_section(span: Span, view: RevisionView, section: str) -> bool:
    known = _section_by_id(view, section)
    return known["start"] <= span[0] < known["end"] if known else stands_in_section(view, span[0], section)


def _section_name(view: RevisionView, section: str) -> str:
    known = _section_by_id(view, section)
    return citation_label(known["label"], known["title"]) or "the unnamed section of that id" if known else section.strip()


def _section_by_id(view: RevisionView, section: str) -> Section | None:
    return next((one for one in view.sections if one["id"] == section), None)


def _explain_absence(quote: str, view: RevisionView, page: int | None) -> Refused:
    parts = [part for part in _OMISSION.split(quote) if part.strip()]
    if len(parts) > 1:
        checked = tuple((part, decide(part, view, page=page)) for part in parts)
        return Refused("joined", "The quotation joins separate places. Quote each of them by itself.", parts=checked)
    if cut := find_cut_occurrence(quote, view.flowing_text):
        return Refused(
            "cut", "The quotation begins or ends inside a word or a number of the document.", _widen_to_words(view.text, cut)
        )
    like = find_nearest(quote, view.text)
    if like is None:
        return Refused("absent", "Nothing like these words stands in the document.")
    span = (like.start, like.end)
    whole = _widen_to_words(view.text, span) if cuts_words(view.text, *span) else span
    return Refused("altered", _describe_changes(like), whole)


def _describe_changes(like: NearestMatch) -> str:
    if not like.changes:
        return "The words stand in the document with other spacing, punctuation or capitals."
    more = f"; and {like.more} more differences" if like.more else ""
    return f"The document says it differently: {'; '.join(map(str, like.changes))}{more}."


def _widen_to_words(text: str, span: Span) -> Span:
    start, end = span
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end
