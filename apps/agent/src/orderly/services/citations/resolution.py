"""Resolves one claimed quotation: a stored citation with its place, or the exact difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orderly.errors import DocumentNotFound, Invalid, NotFound
from orderly.models import Caller
from orderly.services.citations.gate import Refused, Verified
from orderly.services.citations.verification import Verifier, citation_rectangles
from orderly.services.text import Passage, citation_label, is_within_section, normalise_text, section_reference
from orderly.store.base import Store
from orderly.store.functions.citations import Citation, get_citation
from orderly.store.functions.documents import owning_document

MAX_QUOTE = 20_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class QuotationPart:
    """One part of a quotation that joined separate places."""

    text: str
    place: Passage | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    document_name: str
    quote: str
    citation: Mapping[str, Any] | None = None
    """The passage's record with `citation_id`, `rectangles` and `current` (False where a newer version has been published)."""
    reason: str = ""
    """Why the gate refused: one of `gate.Reason`."""
    difference: str = ""
    nearest: Passage | None = None
    """The nearest place in the document."""
    parts: tuple[QuotationPart, ...] = ()


async def resolve_quotation(
    store: Store,
    caller: Caller,
    id: str,
    quote: str,
    page: int | None = None,
    start: int | None = None,
    section: str | None = None,
) -> Resolution:
    """Checks a quotation and stores its citation.

    Args:
        id: Of a document, passage, section or stored citation; the latter is checked against its own revision. The id of
            a section also claims that the words stand in it.
        page: The claimed page.
        start: The claimed offset.
        section: The claimed section, as a citation names it: "Section 10.2(a)".

    Raises:
        DocumentNotFound: no document visible to the caller has this id.
        NotReady, Unreadable: the document has no text.
    """
    if len(quote) > MAX_QUOTE:
        raise Invalid(f"A quotation has at most {MAX_QUOTE:,} characters.")
    if not id.isprintable():
        raise DocumentNotFound(id)
    try:
        document_id = (await owning_document(store, caller, id))["document_id"]
    except NotFound:
        return await _resolve_stored(store, caller, id, quote, section or "")
    verifier = Verifier(store, caller)
    claimed = (section or "").strip() or await _section_id(verifier, document_id, id)
    decision = await verifier.decide(document_id, quote, page=page, start=start, section=claimed)
    name = (await verifier.view(document_id)).name
    if isinstance(decision, Verified):
        place = await verifier.passage(document_id, (decision.start, decision.end))
        return Resolution(name, quote, {**await verifier.cite(place), "current": True})
    return await _refused(verifier, document_id, name, quote, decision)


async def _section_id(verifier: Verifier, document_id: str, id: str) -> str:
    """`id` if it is a section's, else an empty string."""
    view = await verifier.view(document_id)
    return next((section["id"] for section in view.sections if section["id"] == id.strip()), "")


async def _refused(verifier: Verifier, document_id: str, name: str, quote: str, refused: Refused) -> Resolution:
    nearest = await verifier.passage(document_id, refused.instead) if refused.instead else None
    parts = [
        QuotationPart(text.strip(), await verifier.passage(document_id, (part.start, part.end)))
        if isinstance(part, Verified)
        else QuotationPart(text.strip(), None, part.message)
        for text, part in refused.parts
    ]
    return Resolution(name, quote, None, refused.reason, refused.message, nearest, tuple(parts))


async def _resolve_stored(store: Store, caller: Caller, citation_id: str, quote: str, section: str) -> Resolution:
    """Resolves a stored citation, also after its document has a new version."""
    try:
        stored = await get_citation(store, caller, citation_id)
    except NotFound:
        raise DocumentNotFound(citation_id) from None
    record = await stored_record(store, caller, stored)
    if quote.strip() and normalise_text(quote) not in normalise_text(stored["quote"]):
        message = "These words are not in the quotation that this citation stands for."
        place = Passage.from_record(record)
        return Resolution(stored["document_name"], quote, None, "altered", message, place)
    actual = section_reference(record["section_label"] or record["section_title"] or "")
    if section.strip() and not is_within_section(actual, section_reference(section)):
        where = citation_label(record["section_label"], record["section_title"]) or "a part without a section number"
        message = f"The words stand in {where}, not in {section.strip()}."
        place = Passage.from_record(record)
        return Resolution(stored["document_name"], quote, None, "elsewhere", message, place)
    return Resolution(stored["document_name"], quote or stored["quote"], record)


async def stored_record(store: Store, caller: Caller, stored: Citation) -> dict[str, Any]:
    """Converts a stored citation to the record used in answers."""
    boxes = await citation_rectangles(store, caller, stored)
    pages = [box["page"] for box in boxes] or [stored["page"]]
    return {
        "document_id": stored["document_id"],
        "document_name": stored["document_name"],
        "revision_id": stored["revision_id"],
        "id": stored["section_id"] or stored["document_id"],
        "start": stored["start"],
        "end": stored["end"],
        "text": stored["quote"],
        "paged": stored["paged"],
        "page_first": stored["page"],
        "page_last": max(pages),
        "section_label": stored["section_label"],
        "section_title": stored["section_title"],
        "score": None,
        "citation_id": stored["id"],
        "rectangles": boxes,
        "current": stored["current"],
    }
