"""Parties and first date, read in the openings of documents."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.errors import NotFound, NotReady, Unreadable
from orderly.models import Caller
from orderly.services.values import find_dates, find_parties
from orderly.store.base import Store
from orderly.store.functions.documents import Document
from orderly.store.functions.revisions import get_revision

PARALLEL = 4
CACHED = 2_000
"""Documents whose openings are kept in memory."""
DATED = 3_000
"""Characters at the start of a document that are searched for its date."""
MOST_PARTIES = 8


@dataclass(frozen=True, slots=True)
class Opening:
    document_id: str
    parties: tuple[str, ...] = ()
    date: str | None = None
    """The first date, in ISO 8601 as far as it is known: "2019-03-05", "2019-03" or "2019"."""


_cache: OrderedDict[tuple[str, int | None, int | None], Opening] = OrderedDict()
"""By document, characters and chunks. A caller gets an entry only for a document that the caller has listed."""


async def read_openings(store: Store, caller: Caller, documents: Sequence[Document]) -> list[Opening]:
    """Reads the openings of documents that the caller has listed, as the caller; those that are not read yet are left out."""
    limit = asyncio.Semaphore(PARALLEL)

    async def one(document: Document) -> Opening:
        key = document["id"], document["char_count"], document["chunk_count"]
        if (known := _cache.get(key)) is None:
            async with limit:
                try:
                    text = (await get_revision(store, caller, document["id"]))["text"]
                except (NotFound, NotReady, Unreadable):  # deleted, or replaced, since it was listed
                    return Opening(document["id"])
                known = await asyncio.to_thread(opening_of, document["id"], text)
            _cache[key] = known
            while len(_cache) > CACHED:
                _cache.popitem(last=False)
        return known

    return list(await asyncio.gather(*(one(document) for document in documents if document["has_revision"])))


def opening_of(document_id: str, text: str) -> Opening:
    parties = tuple(dict.fromkeys(party.name for party in find_parties(text)))[:MOST_PARTIES]
    date = next((value.iso for value in find_dates(text[:DATED]) if value.iso), None)
    return Opening(document_id, parties, date)
