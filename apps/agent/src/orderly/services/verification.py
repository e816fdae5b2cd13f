"""Looks quotations up in stored documents, as a caller who may read them."""

from __future__ import annotations

import asyncio

from orderly.models import Caller
from orderly.services.answering import read_revision
from orderly.services.citations import find
from orderly.services.passages import Passage, RevisionView
from orderly.store.base import Store


class Verifier:
    """Reads each document once, however many quotations are looked up in it. Made for one answer, then thrown away."""

    def __init__(self, store: Store, caller: Caller) -> None:
        self._store, self._caller = store, caller
        self._read: dict[str, RevisionView] = {}

    async def find(self, document_id: str, quote: str, page: int | None = None) -> Passage | None:
        """The place where `quote` stands in the stored text (at least in part on `page`, if given), or None.

        Raises:
            DocumentNotFound, NotReady: the document is not there to be quoted.
        """
        view = await self._document(document_id)
        touching = None
        if page is not None and view.paged:
            touching = next(((p["start"], p["end"]) for p in view.pages if p["number"] == page), None)
            if touching is None:
                return None
        span = await asyncio.to_thread(_find, quote, view, touching)
        return view.passage(*span) if span else None

    async def _document(self, document_id: str) -> RevisionView:
        if document_id not in self._read:
            self._read[document_id] = await read_revision(self._store, self._caller, document_id)
        return self._read[document_id]


def _find(quote: str, view: RevisionView, touching: tuple[int, int] | None) -> tuple[int, int] | None:
    """As the page shows it, or as it reads when a running head or foot is passed over."""
    return find(quote, view.text, touching=touching) or find(quote, view.flowing_text, touching=touching)
