"""The graph adapted to servers other than LangGraph's own.

Such servers run several runs of one thread concurrently, ignore changes that `@auth.on` handlers make to a request, and add
stream transformers that the graph already has.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from orderly.agent.guarded_graph import GuardedGraph
from orderly.sign_in.langgraph_auth import RESERVED_KEYS
from orderly.store.thread_locks import ThreadLocks

_locks: list[ThreadLocks] = []


def queue_runs(locks: ThreadLocks) -> None:
    """Serialises the runs of a thread with `locks`, for all graphs of this process."""
    _locks[:] = [locks]


class ServedGraph(GuardedGraph):
    """A graph whose runs wait for the thread's earlier run, on any node, so that they read its answer.

    Without `queue_runs`, runs do not wait.
    """

    async def astream(self, input: Any, config: Any = None, *, context: Any = None, **options: Any) -> AsyncIterator[Any]:
        """Removes reserved keys and holds the thread's lock. All asynchronous runs call this method."""
        configurable = (config or {}).get("configurable")
        if configurable:
            config = {**config, "configurable": _without_reserved_keys(configurable)}
        async with _thread_lock(configurable or {}):
            async for part in super().astream(input, config, context=_without_reserved_keys(context), **options):
                yield part

    def astream_events(self, input: Any, config: Any = None, *, transformers: Any = None, **options: Any) -> Any:
        """Drops transformers that the graph already has, since a duplicate transformer fails the run."""
        added = [transformer for transformer in transformers or () if transformer not in self.stream_transformers]
        return super().astream_events(input, config, transformers=added or None, **options)


def _without_reserved_keys(values: Any) -> Any:
    """Removes RESERVED_KEYS."""
    return {k: v for k, v in values.items() if k not in RESERVED_KEYS} if isinstance(values, Mapping) else values


def _thread_lock(configurable: Mapping[str, Any]) -> AbstractAsyncContextManager[None]:
    thread = configurable.get("thread_id")
    return _locks[0].held(str(thread)) if _locks and thread else nullcontext()
