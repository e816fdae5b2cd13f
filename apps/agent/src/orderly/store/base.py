"""Protocols of the adapters: SQL functions by name, blobs by key, and bulk publishing for workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from orderly.models import Caller, RevisionContent

Json = Any
"""Any JSON value. `store.functions` declares the shapes."""


def claims_of(caller: Caller) -> dict[str, Json]:
    """Claims about a caller that the access rule reads (`supabase/schemas/02_rule.sql`)."""
    claims = {"sub": caller.user_id, "thread_id": caller.thread_id, "run_id": caller.run_id, "matters": caller.kept_to}
    return {name: value for name, value in claims.items() if value is not None}


class Store(Protocol):
    """Access to the database with a caller's permissions."""

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        """Calls `public.<function>` as `caller` (None: the role `anon`) in one transaction, and returns the JSON result.

        Lists and dicts in `params` are sent as jsonb, other values by their type.

        `repeatable`: the call writes nothing but the audit record, and `params` are ids. An adapter may then put `params` into
        the statement's text, and retry a call whose answer was lost. A retried call is recorded twice.

        Raises:
            MatterNotFound, DocumentNotFound, Denied, Invalid, Conflict, NotReady: raised by the function.
            StoreUnavailable: the database cannot be reached.
        """
        ...

    async def close(self) -> None: ...


class WorkerCalls(Protocol):
    """Calls as the service role, either one transaction per call or one for all calls."""

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        """Calls `public.<function>` as `service_role`. Raises as `Store.rpc` does."""
        ...


class WorkerStore(WorkerCalls, Protocol):
    """Access to the database as the service role, for workers and the operator's command line, never for the agent."""

    async def publish(self, content: RevisionContent, claim: int) -> None:
        """Writes a revision with its pages, sections, chunks and vectors, and makes it current. Atomic.

        `claim`: from `claim_document`. Raises TakenOver if the document has a newer claim; nothing is written then.
        """
        ...

    async def close(self) -> None: ...


class CallersBlobs(Protocol):
    """Stored files with a caller's permissions."""

    def of(self, caller: Caller) -> Blobs:
        """Returns the blobs for one caller. They share this object's connections and need no closing."""
        ...

    async def close(self) -> None: ...


class Blobs(Protocol):
    """Stored files. A key is `{tenant}/{matter}/{document}/{name}`."""

    async def put(self, key: str, source: Path) -> None:
        """Stores the file at `source` under `key`. Raises Conflict if the key exists."""
        ...

    async def get(self, key: str, target: Path) -> None:
        """Writes the stored file to `target`. Raises StorageFailed if it is missing or cannot be read."""
        ...

    async def size(self, key: str) -> int:
        """Size in bytes. Raises StorageFailed if the file is missing or cannot be read."""
        ...

    def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Yields the half-open byte range `start` to `end`, which must lie within the file. `end` None: the file's end."""
        ...

    async def delete(self, key: str) -> None:
        """Deletes the stored file. Idempotent."""
        ...

    async def close(self) -> None: ...
