"""The places that a bracket cites which follows no quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orderly.models import Span
from orderly.services.citations.cited import unread_file
from orderly.services.citations.provisions import Provision, Provisions
from orderly.services.citations.references import Reference, has_page, has_reference
from orderly.services.citations.sources import GONE, Sources
from orderly.services.support import content_stems
from orderly.services.text import Passage, RevisionView, cited_page

_MOST_PLACES = 4
"""Places of one citation that get a number."""
_EQUAL = 2
"""Documents with the place of a citation that names none of several; where more have it, none is meant."""
_SHOWN = 1_500
"""Characters of a place that is cited without a quotation; of a longer one the part nearest to the sentence."""
_LABEL = re.compile(
    r"(?:(?:sections?|clauses?|cls?|paragraphs?|paras?|schedules?|annexures?|items?)\.?\s*|¶\s*)?(?P<number>\d+(?:\.\d+)*[A-Z]?)(?:\(\w+\))*",
    re.IGNORECASE,
)
"""A place that is the number of a clause, and nothing else."""
_READ = 4_000
"""Characters of a place that are compared with a sentence, where a citation may mean several."""
_CLEARLY = 2
"""How many times as many of a sentence's words as the next the part of a long place has that is shown instead of the whole."""
_NEAREST = 2
"""Provisions of a long place, and of a document that is cited without a place."""


@dataclass(frozen=True, slots=True)
class CitedPlaces:
    """What a bracket cites."""

    places: tuple[Passage, ...] = ()
    provisions: tuple[Provision, ...] = ()
    """The provisions of the places; of a long place the two that have most of the sentence's words."""
    documents: tuple[str, ...] = ()
    missing: str = ""
    """What is wrong with it: the document was not read, or has no such page or section."""


async def cited_places(sources: Sources, cited: str, context: Sequence[str], sentence: str) -> CitedPlaces:
    """The places that a bracket cites which follows no quotation, each as the provision nearest to the sentence."""
    parts = sources.read_cited(cited, context)
    if not any(part.named or part.documents for part in parts) and not unread_file(cited, sources.names):
        equal = [d for d in sources.documents if await sources.spans_of(d, parts)]
        parts = [replace(part, documents=tuple(equal)) for part in parts if len(equal) <= _EQUAL]
    documents = [d for part in parts for d in part.documents if d in sources.documents]
    if not documents:
        named = any(part.named for part in parts) or unread_file(cited, sources.names)
        return CitedPlaces(missing="No document of that name was read" if named else "")
    places: list[Passage] = []
    provisions: list[Provision] = []
    missing, stems = "", content_stems(sentence)
    for part, document_id in ((one, d) for one in parts for d in one.documents if d in sources.documents):
        try:
            view = await sources.view(document_id)
        except GONE:
            missing = "The document can no longer be read"
            continue
        spans = await sources.spans_of(document_id, [part])
        if not spans and part.place:
            missing = _missing(view, part.place) or missing
        if len(spans) > 1 and not _names_several(part.place):
            spans = [max(spans, key=lambda s: len(stems & content_stems(view.text[s[0] : s[0] + _READ])))]
        for span in spans[:_MOST_PLACES]:
            found = await _nearest_parts(sources, document_id, span, stems)
            is_one = len(found) == 1 or (found and len(stems & found[0].stems) >= _CLEARLY * len(stems & found[1].stems))
            places.append(view.passage(found[0].start, min(found[0].end, span[1])) if is_one else view.passage(*span))
            provisions += found or [await sources.provision(view.passage(*span))]
    unique = tuple(dict.fromkeys(places)), tuple(dict.fromkeys(provisions)), tuple(dict.fromkeys(documents))
    return CitedPlaces(*unique, missing="" if places else missing)


def _missing(view: RevisionView, place: str) -> str:
    """What a document lacks of a cited place; empty where that cannot be told."""
    page = cited_page(place)
    if page is not None and not has_page(view, page):
        pages = f"pages 1 to {view.pages[-1]['number']}" if view.paged else "no such page"
        return f"{view.name} has {pages}"
    label = _LABEL.fullmatch(place.strip())
    if label and not has_reference(view, Reference(0, 0, "clause", label["number"])):
        return f"{view.name} has no {place.strip()}"
    return ""


async def _nearest_parts(sources: Sources, document_id: str, span: Span, stems: set[str]) -> list[Provision]:
    """Of a long place the two provisions within it that have most of a sentence's words; empty for a short place."""
    if span[1] - span[0] <= _SHOWN:
        return []
    inside = [p for p in (await sources.provisions(document_id)).all if span[0] <= p.start < span[1]]
    return sorted(inside, key=lambda p: (-len(p.stems & stems), p.start))[:_NEAREST]


def nearest_in(provisions: Provisions, sentence: str) -> Sequence[Provision]:
    """The provisions of a document that have most of a sentence's words."""
    stems = content_stems(sentence)
    return sorted(provisions.all, key=lambda p: -len(p.stems & stems))[:_NEAREST]


def _names_several(place: str) -> bool:
    return re.search(r",|;|\band\b|[-–]|&", place) is not None
