"""Adds an enricher's findings to extracted documents, or the reason why enrichment failed."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

from orderly.errors import EngineFailed, EngineUnavailable
from orderly.models import Extracted, Heading, Span
from orderly.services.engines import Enriched, Enricher
from orderly.services.text import find_sections

_LABEL_PREFIX = re.compile(r"(?:section|clause|sec\.|§)\s*", re.I)


async def enrich(enricher: Enricher | None, extracted: Extracted, *, last: bool = True) -> Extracted:
    """Adds `details["enrichment"]`, and headings if the file has none and they yield a longer outline.

    Sends the whole text to the enricher; None: no change. Raises EngineUnavailable unless this is the `last` attempt.
    """
    if enricher is None or not extracted.text.strip():
        return extracted
    try:
        [found] = await enricher.enrich([extracted.text])
    except EngineFailed as error:
        if isinstance(error, EngineUnavailable) and not last:
            raise
        reason = f"its structure was found by Orderly's own rules, because it could not be enriched: {error.message}"
        return replace(extracted, incomplete=(*extracted.incomplete, reason))
    outlined = await asyncio.to_thread(_add_headings, extracted, found)
    facts = {
        "model": enricher.enriching_model,
        "type": found.type,
        "jurisdiction": found.jurisdiction,
        "title": found.title,
        "outline": outlined is not extracted,
        "terms": [{"name": term.name, "meaning": term.meaning, "mentions": term.mentions} for term in found.terms],
        "headings": found.headings,
        "junk": found.junk,
    }
    return replace(outlined, details={**outlined.details, "enrichment": facts})


def _add_headings(extracted: Extracted, found: Enriched) -> Extracted:
    """Adds the enricher's headings. Headings that the file marks up are more reliable and stay unchanged."""
    if extracted.headings:
        return extracted
    headings = _headings(extracted.text, found)
    without = find_sections(extracted.text, (), extracted.pages)
    enriched = find_sections(extracted.text, headings, extracted.pages)
    return replace(extracted, headings=headings) if len(enriched) > len(without) else extracted


def _headings(text: str, found: Enriched) -> tuple[Heading, ...]:
    """Converts containers and units to headings. Items such as "(a)" are found by `find_sections`."""
    headings = []
    for segment in found.segments:
        parts = [span for span in (segment.code, segment.title) if span is not None]
        if segment.kind not in ("container", "unit") or not parts or _inside(segment.span[0], found.junk):
            continue
        start, end = min(span[0] for span in parts), max(span[1] for span in parts)
        headings.append(Heading(start, end, segment.level + 1, _label(text, segment.code), _title(text, segment.title)))
    return tuple(sorted(headings, key=lambda heading: heading.start))


def _label(text: str, code: Span | None) -> str | None:
    return None if code is None else _LABEL_PREFIX.sub("", text[slice(*code)], count=1).strip(" .:") or None


def _title(text: str, title: Span | None) -> str | None:
    return None if title is None else " ".join(text[slice(*title)].split()).strip(" .:") or None


def _inside(offset: int, spans: tuple[Span, ...]) -> bool:
    return any(start <= offset < end for start, end in spans)
