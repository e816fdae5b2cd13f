"""Ends a run when its user loses access to a document that the thread has read, or when the sign-in expires."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langgraph.config import get_config

from orderly.agent.caller import current_caller
from orderly.errors import Denied, OrderlyError
from orderly.models import Caller
from orderly.sign_in.identity import USER_KEY
from orderly.store.functions.conversations import check_thread
from orderly.wiring.services import Services, current_services

UNCHECKED_SECONDS = 1.0
MOST_UNCHECKED = 20
"""Parts of a stream that are shown without another look at the access: a sentence has one part or several."""


class AccessChecks(AgentMiddleware[Any, Any]):
    """Checks access before every call of the offline planner, since each call receives everything read so far.

    For a language model, `LocalAnswers` makes this check. `StreamAccess` makes it while an answer is streamed, `AnswerRecord`
    at its end.
    """

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        await check_thread_access()
        return await handler(request)


class StreamAccess:
    """Looks at the caller's access again while an answer is streamed: it may end in the middle of a long one.

    Args:
        check: Raises an OrderlyError once the access is gone.
        clock: Seconds, from any beginning.
    """

    def __init__(self, check: Callable[[], Awaitable[None]], clock: Callable[[], float] = time.monotonic) -> None:
        self._check, self._clock = check, clock
        self._checked_at, self._unchecked = clock(), 0
        self.lost: OrderlyError | None = None
        """Why nothing more may be shown."""

    async def allows(self) -> bool:
        """Whether the next part of the stream may be shown."""
        self._unchecked += 1
        if self.lost is None and (self._unchecked > MOST_UNCHECKED or self._clock() - self._checked_at >= UNCHECKED_SECONDS):
            try:
                await self._check()
            except OrderlyError as error:
                self.lost = error
            self._checked_at, self._unchecked = self._clock(), 0
        return self.lost is None


async def check_thread_access() -> None:
    """Checks that the caller may still see everything that the thread has read.

    Raises:
        NotFound: Access was withdrawn, for example by a screen.
        Denied: The sign-in has expired since the run began.
    """
    services = await current_services()
    caller = signed_in_caller(services)
    if caller is not None and caller.thread_id is not None:
        await check_thread(services.store, caller, caller.thread_id)


def signed_in_caller(services: Services) -> Caller | None:
    """The caller; None for a run without a sign-in. Raises Denied if the sign-in has expired since the run began."""
    try:
        return current_caller(services)
    except Denied:
        if USER_KEY in (get_config().get("configurable") or {}):
            raise
        return None
