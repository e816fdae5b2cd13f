"""Records refused calls. A refusal rolls back its own audit entry, so a second call records the refusal."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from orderly.errors import Denied, DocumentNotFound, MatterNotFound, NotFound, OrderlyError, UnknownCaller
from orderly.models import Caller
from orderly.store.base import Json, Store
from orderly.store.functions.record import record_denial

_log = logging.getLogger(__name__)

_IDS = ("_ref", "_id")
"""Suffixes of the arguments that hold ids. Other arguments are not recorded, as they can hold any content."""

MAX_ID_CHARS = 200


class RecordsRefusals:
    """Wraps a `store.base.Store`, which it closes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        try:
            return await self._store.rpc(caller, function, params, repeatable=repeatable)
        except UnknownCaller:
            raise  # nobody has no record
        except (NotFound, Denied) as refusal:
            if caller is not None:
                await self._record(caller, function, _ids(params) | _refused_id(refusal))
            raise

    async def _record(self, caller: Caller, function: str, refs: dict[str, str]) -> None:
        """Records the refusal. A failure is only logged, as the caller has received no data."""
        try:
            await record_denial(self._store, caller, function, refs)
        except OrderlyError as error:
            _log.error("A refusal was not recorded (%s): user %s, %s", error.message, caller.user_id, function)

    async def close(self) -> None:
        await self._store.close()


def _ids(params: Mapping[str, Json]) -> dict[str, str]:
    return {name: value[:MAX_ID_CHARS] for name, value in params.items() if isinstance(value, str) and name.endswith(_IDS)}


def _refused_id(refusal: OrderlyError) -> dict[str, str]:
    """Returns the refused id, which can come from a list of ids."""
    if isinstance(refusal, MatterNotFound):
        return {"refused": refusal.matter_id[:MAX_ID_CHARS]}
    return {"refused": refusal.document_id[:MAX_ID_CHARS]} if isinstance(refusal, DocumentNotFound) else {}
