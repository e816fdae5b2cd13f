"""Adapts the graph to Aegra, which differs from LangGraph's own server.

Aegra runs the runs of one thread concurrently, passes configuration keys that `@auth.on` handlers removed, and adds stream
transformers that the graph already has.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from orderly.agent.drawing import SystemGraph
from orderly.sign_in.langgraph_auth import RESERVED_KEYS
from orderly.store.thread_locks import ThreadLocks

_locks: list[ThreadLocks] = []


def queue_runs(locks: ThreadLocks) -> None:
    """Serializes the runs of a thread in this process from now on."""
    _locks[:] = [locks]


class ServedGraph(SystemGraph):
    """The graph, with runs of one thread serialized across nodes after `queue_runs` was called.

    A run reads the thread's state after the earlier run has ended, so it sees the earlier answer.
    """

    async def astream(self, input: Any, config: Any = None, *, context: Any = None, **options: Any) -> AsyncIterator[Any]:
        """All asynchronous methods of the graph call this method."""
        settings = (config or {}).get("configurable")
        if settings:
            config = {**config, "configurable": _without_reserved_keys(settings)}
        async with _thread_lock(settings or {}):
            async for part in super().astream(input, config, context=_without_reserved_keys(context), **options):
                yield part

    def astream_events(self, input: Any, config: Any = None, *, transformers: Any = None, **options: Any) -> Any:
        """Removes transformers that the graph already has: a duplicate transformer ends the run."""
        added = [t for t in transformers or () if t not in self.stream_transformers]
        return super().astream_events(input, config, transformers=added or None, **options)


def _without_reserved_keys(sent: Any) -> Any:
    return {k: v for k, v in sent.items() if k not in RESERVED_KEYS} if isinstance(sent, Mapping) else sent


def _thread_lock(settings: Mapping[str, Any]) -> AbstractAsyncContextManager[None]:
    thread = settings.get("thread_id")
    return _locks[0].held(str(thread)) if _locks and thread else nullcontext()
