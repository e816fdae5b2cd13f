"""Looks quotations up in stored documents, as a caller who may read them, and stores what is verified."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from orderly.models import Caller
from orderly.services.citations.gate import Decision, Span, decide
from orderly.services.documents import read_revision
from orderly.services.text import Passage, RevisionView, occurrences, rectangles
from orderly.store.base import Store
from orderly.store.functions.citations import Citation, citation_lines, save_citation


class Verifier:
    """Reads each document once, however many quotations are looked up in it. Made for one answer, then thrown away.

    Every method raises DocumentNotFound, NotReady or Unreadable where the document is not there to be quoted.
    """

    def __init__(self, store: Store, caller: Caller) -> None:
        self._store, self._caller = store, caller
        self._views: dict[str, RevisionView] = {}

    async def decide(
        self, document_id: str, quote: str, *, page: int | None = None, start: int | None = None, within: Sequence[Span] = ()
    ) -> Decision:
        """The citation gate's decision about the document's current revision."""
        view = await self.view(document_id)
        return await asyncio.to_thread(decide, quote, view, page=page, start=start, within=within)

    async def passage(self, document_id: str, span: Span) -> Passage:
        return (await self.view(document_id)).passage(*span)

    async def mentions(self, document_id: str, text: str) -> bool:
        view = await self.view(document_id)
        return await asyncio.to_thread(lambda: next(occurrences(text, view.text), None) is not None)

    async def last_page(self, document_id: str) -> int | None:
        """None where the format has no fixed pages."""
        view = await self.view(document_id)
        return view.pages[-1]["number"] if view.paged and view.pages else None

    async def view(self, document_id: str) -> RevisionView:
        if document_id not in self._views:
            self._views[document_id] = await read_revision(self._store, self._caller, document_id)
        return self._views[document_id]

    async def cite(self, place: Passage) -> dict[str, Any]:
        """The passage's record with the id under which it is stored and its rectangles. The same place has the same id."""
        stored = await save_citation(
            self._store, self._caller, place.document_id, place.revision_id, start=place.start, end=place.end
        )
        return {
            **place.record(),
            "citation_id": stored["id"],
            "rectangles": await citation_rectangles(self._store, self._caller, stored),
        }


async def citation_rectangles(store: Store, caller: Caller, citation: Citation) -> list[dict[str, Any]]:
    """Where a stored citation stands on its pages: {page, box} in points from the top left; none where there are no pages."""
    if not citation["paged"]:
        return []
    pages = await citation_lines(store, caller, citation["id"])
    return [
        {"page": page["number"], "box": list(box)}
        for page in pages
        for box in rectangles(page["lines"], citation["start"], citation["end"])
    ]
