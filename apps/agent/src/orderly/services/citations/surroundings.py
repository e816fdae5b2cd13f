"""The evidence of a quotation: its words, with what its document says around them and who speaks there."""

from __future__ import annotations

import re

from orderly.services.support import Evidence
from orderly.services.text import Passage, RevisionView, sentence_around

_BEGINNING, _BEFORE, _AFTER = 2_000, 1_500, 500
"""Characters in which the names of those stand whom a quotation calls "it" or "we"."""
_SPACE = re.compile(r"\s*")
_MOST_NEXT = 400
"""Characters of the next sentence."""


def evidence_of(place: Passage, view: RevisionView) -> Evidence:
    """The stored words of a place, with its document and section, and with what stands around it."""
    label, title = place.section_label or "", place.section_title or ""
    name = re.sub(r"\.\w{2,5}$", "", place.document_name)
    text = view.text
    return Evidence(
        place.text,
        f"{name} {label} {title}",
        label or None,
        (place.page_first, place.page_last) if place.paged else None,
        f"{text[:_BEGINNING]}\n{text[max(place.start - _BEFORE, _BEGINNING) : place.start]}",
        place.document_id,
        text[place.end : place.end + _AFTER],
        (place.document_name,),
        (text,),
        _next_sentence(place, view),
    )


def _next_sentence(place: Passage, view: RevisionView) -> str:
    """The sentence behind that of the place, if it stands in the same section: an exclusion or proviso often does."""
    section_end = min((s["end"] for s in view.sections if s["start"] <= place.start < s["end"]), default=len(view.text))
    last = sentence_around(view.text, place.start, place.end).end
    first = _SPACE.match(view.text, last).end()  # type: ignore[union-attr]
    if first >= section_end or view.text.startswith("#", first):
        return ""
    end = min(sentence_around(view.text, first, first + 1).end, section_end, first + _MOST_NEXT)
    return " ".join(view.text[first:end].split())
