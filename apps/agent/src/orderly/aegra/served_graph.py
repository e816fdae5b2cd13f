"""The graph for servers that do less around it than LangGraph's own.

They run a conversation's runs side by side, hand on what `@auth.on` handlers took out of a request, and transform
streams in ways that the graph does already.
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
    """For this process, from now on."""
    _locks[:] = [locks]


class ServedGraph(SystemGraph):
    """The graph it is made of. A run waits until the conversation's earlier one has ended, on whichever node that is.

    What a run reads of the conversation it then reads after the earlier one's answer. Where `queue_runs` was not called,
    nothing waits.
    """

    async def astream(self, input: Any, config: Any = None, *, context: Any = None, **options: Any) -> AsyncIterator[Any]:
        """Every way to run the graph asynchronously comes through here."""
        settings = (config or {}).get("configurable")
        if settings:
            config = {**config, "configurable": _allowed(settings)}
        async with _turn(settings or {}):
            async for part in super().astream(input, config, context=_allowed(context), **options):
                yield part

    def astream_events(self, input: Any, config: Any = None, *, transformers: Any = None, **options: Any) -> Any:
        """In the newer protocol a server adds transformers of its own, and one that is there twice ends the run."""
        added = [one for one in transformers or () if one not in self.stream_transformers]
        return super().astream_events(input, config, transformers=added or None, **options)


def _allowed(sent: Any) -> Any:
    """Without the keys that steer the agents from inside."""
    return {k: v for k, v in sent.items() if k not in RESERVED_KEYS} if isinstance(sent, Mapping) else sent


def _turn(settings: Mapping[str, Any]) -> AbstractAsyncContextManager[None]:
    thread = settings.get("thread_id")
    return _locks[0].held(str(thread)) if _locks and thread else nullcontext()
