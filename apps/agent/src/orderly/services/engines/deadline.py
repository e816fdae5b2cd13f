"""Time limit for all calls to an outside engine that serve one question, retries and waiting included."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from orderly.errors import EngineUnavailable

_deadline: ContextVar[float | None] = ContextVar("engine_deadline", default=None)
"""Time of the event loop's clock."""


@contextmanager
def engine_seconds(seconds: float) -> Iterator[None]:
    """Limits the engine calls made inside to `seconds` together. An outer, earlier limit stays in force."""
    outer = _deadline.get()
    deadline = asyncio.get_running_loop().time() + seconds
    token = _deadline.set(deadline if outer is None else min(outer, deadline))
    try:
        yield
    finally:
        _deadline.reset(token)


@asynccontextmanager
async def before_deadline(message: str) -> AsyncIterator[None]:
    """Raises EngineUnavailable with `message` when the limit of `engine_seconds` passes; without a limit, never."""
    try:
        async with asyncio.timeout_at(_deadline.get()) as clock:
            yield
    except TimeoutError as error:
        if not clock.expired():
            raise
        raise EngineUnavailable(message) from error
