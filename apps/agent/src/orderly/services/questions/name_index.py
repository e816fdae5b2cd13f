"""The documents of a matter as questions can name them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from orderly.errors import NotFound, NotReady, Unreadable
from orderly.models import Caller
from orderly.services.questions.kinds import may_mean_kind
from orderly.services.questions.nameable import Nameable
from orderly.services.questions.written_names import has_name
from orderly.store.base import Store
from orderly.store.functions.documents import Document
from orderly.store.functions.revisions import get_revision

PARALLEL = 8
CACHED = 2_000
"""Documents whose words are kept in memory."""

_cache: OrderedDict[tuple[str, str, int | None, int | None], Nameable] = OrderedDict()
"""By document, file name, characters and chunks. A caller gets an entry only for a document that the caller has listed."""


class NameIndex:
    """Reads the openings of documents, as the caller, only where a question may name one."""

    def __init__(self, store: Store, caller: Caller, documents: Sequence[Document]) -> None:
        self._store, self._caller, self._documents = store, caller, documents

    async def nameables(self, turns: Sequence[str]) -> list[Nameable]:
        """The documents with the words of their openings; with those of their file names alone if no turn has a name."""
        reads = any(has_name(turn) or may_mean_kind(turn) for turn in turns)
        limit = asyncio.Semaphore(PARALLEL)

        async def one(document: Document) -> Nameable:
            if not reads or not document["has_revision"]:
                return Nameable.of(document["id"], document["filename"], "")
            async with limit:
                return await self._read(document)

        return list(await asyncio.gather(*(one(document) for document in self._documents)))

    async def _read(self, document: Document) -> Nameable:
        id, filename = document["id"], document["filename"]
        key = id, filename, document["char_count"], document["chunk_count"]
        if (known := _cache.get(key)) is not None:
            _cache.move_to_end(key)
            return known
        try:
            row = await get_revision(self._store, self._caller, id)
        except (NotFound, NotReady, Unreadable):  # deleted, or replaced, since it was listed
            return Nameable.of(id, filename, "")
        _cache[key] = found = await asyncio.to_thread(Nameable.of, id, filename, row["text"])
        while len(_cache) > CACHED:
            _cache.popitem(last=False)
        return found
