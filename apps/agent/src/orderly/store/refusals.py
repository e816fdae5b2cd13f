"""Puts refusals on record. A refused call leaves nothing behind, not even its own entry, so a second one says what it was."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from orderly.errors import Denied, DocumentNotFound, MatterNotFound, NotFound, OrderlyError
from orderly.models import Caller
from orderly.store.base import Json, Store
from orderly.store.functions.record import record_denial

_log = logging.getLogger(__name__)

_IDS = ("_ref", "_id")
"""What the names of arguments end with that name a thing. Nothing else that was sent is recorded: it may be anything."""

LONGEST_ID = 200


class RecordsRefusals:
    """`store.base.Store` over another one, which it closes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        try:
            return await self._store.rpc(caller, function, params, repeatable=repeatable)
        except (NotFound, Denied) as refusal:
            if caller is not None:
                await self._record(caller, function, _ids(params) | _named(refusal))
            raise

    async def _record(self, caller: Caller, function: str, refs: dict[str, str]) -> None:
        """Whether or not it can be written, the refusal stands: nothing was read."""
        try:
            await record_denial(self._store, caller, function, refs)
        except OrderlyError as error:
            _log.error("A refusal was not recorded (%s): user %s, %s", error.message, caller.user_id, function)

    async def close(self) -> None:
        await self._store.close()


def _ids(params: Mapping[str, Json]) -> dict[str, str]:
    return {name: value[:LONGEST_ID] for name, value in params.items() if isinstance(value, str) and name.endswith(_IDS)}


def _named(refusal: OrderlyError) -> dict[str, str]:
    """The id that was refused, which may be one of many in a list."""
    if isinstance(refusal, MatterNotFound):
        return {"refused": refusal.matter_id[:LONGEST_ID]}
    return {"refused": refusal.document_id[:LONGEST_ID]} if isinstance(refusal, DocumentNotFound) else {}
