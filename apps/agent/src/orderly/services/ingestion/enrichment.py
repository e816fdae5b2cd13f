"""An enricher's findings become part of what a reader got out of a file. Where it fails, the reason is kept instead."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

from orderly.errors import EngineFailed, EngineUnavailable
from orderly.models import Extracted, Heading
from orderly.services.engines import Enriched, Enricher, Span
from orderly.services.text import find_sections

_WORD = re.compile(r"(?:section|clause|sec\.|§)\s*", re.I)


async def enriched(enricher: Enricher | None, extracted: Extracted, *, last: bool = True) -> Extracted:
    """With `details["enrichment"]`, and with headings where the file marks none and these make a richer outline.

    None: `extracted` as it is. Sends the whole text to the enricher. Raises EngineUnavailable unless this is the `last` try.
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
    outlined = await asyncio.to_thread(_outlined, extracted, found)
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


def _outlined(extracted: Extracted, found: Enriched) -> Extracted:
    """What the file itself marks as headings is better evidence than any reading of its text."""
    if extracted.headings:
        return extracted
    headings = _headings(extracted.text, found)
    own = find_sections(extracted.text, (), extracted.pages)
    with_these = find_sections(extracted.text, headings, extracted.pages)
    return replace(extracted, headings=headings) if len(with_these) > len(own) else extracted


def _headings(text: str, found: Enriched) -> tuple[Heading, ...]:
    """Of containers and units; items such as "(a)" are found by their order."""
    headings = []
    for segment in found.segments:
        parts = [span for span in (segment.code, segment.title) if span is not None]
        if segment.kind not in ("container", "unit") or not parts or _inside(segment.span[0], found.junk):
            continue
        start, end = min(span[0] for span in parts), max(span[1] for span in parts)
        headings.append(Heading(start, end, segment.level + 1, _label(text, segment.code), _title(text, segment.title)))
    return tuple(sorted(headings, key=lambda heading: heading.start))


def _label(text: str, code: Span | None) -> str | None:
    return None if code is None else _WORD.sub("", text[slice(*code)], count=1).strip(" .:") or None


def _title(text: str, title: Span | None) -> str | None:
    return None if title is None else " ".join(text[slice(*title)].split()).strip(" .:") or None


def _inside(offset: int, spans: tuple[Span, ...]) -> bool:
    return any(start <= offset < end for start, end in spans)
