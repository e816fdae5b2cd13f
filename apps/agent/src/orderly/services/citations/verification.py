"""Verifies quotations in stored documents with the caller's permissions, and stores their citations."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice
from typing import Any

from orderly.models import Caller, Span
from orderly.services.citations.gate import Decision, decide
from orderly.services.documents import read_revision
from orderly.services.text import Passage, RevisionView, StoredWords, find_occurrences, sentence_around, span_rectangles
from orderly.store.base import Store
from orderly.store.functions.citations import Citation, citation_lines, save_citation

MAX_SENTENCES = 8
"""Sentences read for one term."""


class Verifier:
    """Caches the documents it reads. One instance per answer.

    Methods that take a document id raise DocumentNotFound, NotReady or Unreadable where the document has no text to quote.
    """

    def __init__(self, store: Store, caller: Caller) -> None:
        self._store, self._caller = store, caller
        self._views: dict[str, RevisionView] = {}
        self._flowing: dict[str, str] = {}
        self._words: dict[str, StoredWords] = {}

    async def decide(
        self,
        document_id: str,
        quote: str,
        *,
        page: int | None = None,
        start: int | None = None,
        section: str = "",
        within: Sequence[Span] = (),
    ) -> Decision:
        """Applies the citation gate to the document's current revision."""
        view = await self.view(document_id)
        return await asyncio.to_thread(decide, quote, view, page=page, start=start, section=section, within=within)

    async def flowing(self, document_id: str) -> str:
        """The text without page headers and footers."""
        if document_id not in self._flowing:
            self._flowing[document_id] = (await self.view(document_id)).flowing_text
        return self._flowing[document_id]

    async def find_stored(self, document_id: str, quote: str) -> Span | None:
        """Span of a quotation that differs from the document in case, punctuation, markup or brackets alone."""
        view = await self.view(document_id)
        return await asyncio.to_thread(self._find_stored, view, quote)

    def _find_stored(self, view: RevisionView, quote: str) -> Span | None:
        if view.document_id not in self._words:
            self._words[view.document_id] = StoredWords(view.flowing_text)
        return self._words[view.document_id].find(quote)

    async def passage(self, document_id: str, span: Span) -> Passage:
        return (await self.view(document_id)).passage(*span)

    async def sentences_with(self, document_id: str, term: str) -> list[str]:
        """The first sentences in which a term stands."""
        text = (await self.view(document_id)).text
        spans = await asyncio.to_thread(lambda: list(islice(find_occurrences(term, text), MAX_SENTENCES)))
        around = [sentence_around(text, *span) for span in spans]
        return [text[sentence.start : sentence.end] for sentence in around]

    async def view(self, document_id: str) -> RevisionView:
        if document_id not in self._views:
            self._views[document_id] = await read_revision(self._store, self._caller, document_id)
        return self._views[document_id]

    async def cite(self, place: Passage) -> dict[str, Any]:
        """Stores a citation. Returns the passage's record with its citation id and rectangles; idempotent per place."""
        stored = await save_citation(
            self._store, self._caller, place.document_id, place.revision_id, start=place.start, end=place.end
        )
        return {
            **place.record(),
            "citation_id": stored["id"],
            "rectangles": await citation_rectangles(self._store, self._caller, stored),
        }


async def citation_rectangles(store: Store, caller: Caller, citation: Citation) -> list[dict[str, Any]]:
    """Rectangles of a stored citation, {page, box} in points from the top left; empty for formats without pages."""
    if not citation["paged"]:
        return []
    pages = await citation_lines(store, caller, citation["id"])
    return [
        {"page": page["number"], "box": list(box)}
        for page in pages
        for box in span_rectangles(page["lines"], citation["start"], citation["end"])
    ]
