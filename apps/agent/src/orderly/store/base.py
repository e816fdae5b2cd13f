"""What the rest of Orderly asks of a store: SQL functions by name, blobs by key, and bulk publishing for the worker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from orderly.models import Caller, RevisionContent

Json = Any
"""What `json.loads` can give. `store.functions` has the shapes."""


class Store(Protocol):
    """The database as one caller may see it."""

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        """Calls `public.<function>` as `caller` (None: the role `anon`) in one transaction and returns its JSON.

        Lists and dicts in `params` arrive as jsonb, everything else by its own type.

        `repeatable`: the call changes nothing but the record, and `params` are ids. A store may then put `params` into the text
        of a statement, and send the call again when its answer was lost, which the record shows as two calls.

        Raises:
            MatterNotFound, DocumentNotFound, Denied, Invalid, Conflict, NotReady: as the function decided.
            StoreUnavailable: the database cannot be reached.
        """
        ...

    async def close(self) -> None: ...


class WorkerCalls(Protocol):
    """Calls as the service role: each in a transaction of its own, or all in one."""

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        """Calls `public.<function>` as `service_role`. Raises as `Store.rpc` does."""
        ...


class WorkerStore(WorkerCalls, Protocol):
    """The database as the service role. Held by the ingestion worker and the operator's command line, never by the agent."""

    async def publish(self, content: RevisionContent, claim: int) -> None:
        """Write a revision with its pages, sections, chunks and vectors and make it the current one, all or nothing.

        `claim`: as `claim_document` gave it. Raises TakenOver when it is no longer the document's, and leaves nothing behind.
        """
        ...

    async def close(self) -> None: ...


class CallersBlobs(Protocol):
    """Stored files on the agent's side: whose they are is said first, and decides what can be opened and stored."""

    def of(self, caller: Caller) -> Blobs:
        """As one caller, for one piece of work. Closed with the rest."""
        ...

    async def close(self) -> None: ...


class Blobs(Protocol):
    """Stored files. A key is `{tenant}/{matter}/{document}/{name}`."""

    async def put(self, key: str, source: Path) -> None:
        """Store the file at `source` under `key`, replacing nothing: an existing key is a Conflict."""
        ...

    async def get(self, key: str, target: Path) -> None:
        """Write the stored file to `target`. Raises StorageFailed when it is missing or cannot be read."""
        ...

    async def size(self, key: str) -> int:
        """In bytes. Raises StorageFailed when it is missing or cannot be read."""
        ...

    def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes from `start` up to `end`, which must lie within the file; None: to its end."""
        ...

    async def delete(self, key: str) -> None:
        """Remove the stored file; removing what is not there is no error."""
        ...

    async def close(self) -> None: ...
