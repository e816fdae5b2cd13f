"""One claimed quotation through the citation gate: a stored citation with its place, or the exact difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orderly.errors import DocumentNotFound, Invalid, NotFound
from orderly.models import Caller
from orderly.services.citations.gate import Refused, Stands
from orderly.services.citations.verification import Verifier, citation_rectangles
from orderly.services.text import Passage, plain
from orderly.store.base import Store
from orderly.store.functions.citations import Citation, get_citation
from orderly.store.functions.documents import owning_document

MAX_QUOTE = 20_000
"""Characters. More than that is a document, not a quotation."""


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a quotation that joined separate places."""

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
    """Why the gate refused, in its own word: one of `gate.Reason`."""
    difference: str = ""
    nearest: Passage | None = None
    """What the document says at the nearest place."""
    parts: tuple[Part, ...] = ()


async def resolve_quotation(
    store: Store, caller: Caller, id: str, quote: str, page: int | None = None, start: int | None = None
) -> Resolution:
    """`id`: of a document, or of a passage or section in it, or of a stored citation, whose revision then counts.

    Raises:
        DocumentNotFound: nothing that the caller may see has this id.
        NotReady, Unreadable: there is no text to look in.
    """
    if len(quote) > MAX_QUOTE:
        raise Invalid(f"A quotation has at most {MAX_QUOTE:,} characters.")
    if not id.isprintable():
        raise DocumentNotFound(id)
    try:
        document_id = (await owning_document(store, caller, id))["document_id"]
    except NotFound:
        return await _resolve_stored(store, caller, id, quote)
    verifier = Verifier(store, caller)
    decision = await verifier.decide(document_id, quote, page=page, start=start)
    name = (await verifier.view(document_id)).name
    if isinstance(decision, Stands):
        place = await verifier.passage(document_id, (decision.start, decision.end))
        return Resolution(name, quote, {**await verifier.cite(place), "current": True})
    return await _refused(verifier, document_id, name, quote, decision)


async def _refused(verifier: Verifier, document_id: str, name: str, quote: str, refused: Refused) -> Resolution:
    nearest = await verifier.passage(document_id, refused.instead) if refused.instead else None
    parts = [
        Part(text.strip(), await verifier.passage(document_id, (part.start, part.end)))
        if isinstance(part, Stands)
        else Part(text.strip(), None, part.message)
        for text, part in refused.parts
    ]
    return Resolution(name, quote, None, refused.reason, refused.message, nearest, tuple(parts))


async def _resolve_stored(store: Store, caller: Caller, citation_id: str, quote: str) -> Resolution:
    """A citation resolves for ever: also after its document has a new version."""
    try:
        stored = await get_citation(store, caller, citation_id)
    except NotFound:
        raise DocumentNotFound(citation_id) from None
    record = await stored_record(store, caller, stored)
    if quote.strip() and plain(quote) not in plain(stored["quote"]):
        message = "These words are not in the quotation that this citation stands for."
        place = Passage(**{name: record[name] for name in Passage.__dataclass_fields__ if name in record})
        return Resolution(stored["document_name"], quote, None, "altered", message, place)
    return Resolution(stored["document_name"], quote or stored["quote"], record)


async def stored_record(store: Store, caller: Caller, stored: Citation) -> dict[str, Any]:
    """A stored citation in the form in which answers carry it."""
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
