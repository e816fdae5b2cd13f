"""Time limits of tools, and the messages of calls that exceed them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, ParamSpec

from orderly.errors import TookTooLong
from orderly.wiring.services import current_services

P = ParamSpec("P")
ToolOutput = tuple[Any, list[dict[str, Any]]]


class Limit(NamedTuple):
    seconds: float | None
    """None: the setting `search_seconds`."""
    activity: str
    advice: str


_LIST = Limit(10, "The listing", "Ask for less at once (limit, or a folder), or try again.")
_READ = Limit(30, "Reading", "Ask for a section or for fewer pages, or try again.")
_SEARCH = Limit(None, "The search", "Keep it to folders or documents with within, or try again.")
_IMAGE = Limit(15, "Drawing the page", "Read its text instead, or try again.")
_VISUAL_SEARCH = Limit(15, "The search by sight", "Search by words instead, or try again.")

LIMITS = {
    "list_matters": _LIST,
    "list_matter_documents": _LIST,
    "list_contents": _LIST,
    "find": _LIST,
    "get_info": _LIST,
    "read_review": _LIST,
    "get_document_text": _READ,
    "read": _READ,
    "read_around": _READ,
    "isaacus_search": _SEARCH,
    "search_keyword": _SEARCH,
    "file_search": _SEARCH,
    "view_page": _IMAGE,
    "visual_search": _VISUAL_SEARCH,
}
"""By name of the tool. Other tools call an engine, which has its own time limits, or change or export a review."""


def with_time_limit(tool: Callable[P, Awaitable[ToolOutput]]) -> Callable[P, Awaitable[ToolOutput]]:
    """Wraps `tool` with its time limit. The wrapper raises TookTooLong."""
    if tool.__name__ not in LIMITS:
        return tool

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> ToolOutput:
        limit = LIMITS[tool.__name__]
        seconds = limit.seconds or (await current_services()).settings.search_seconds
        try:
            async with asyncio.timeout(seconds) as timeout:
                return await tool(*args, **kwargs)
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise TookTooLong(
                f"{limit.activity} took longer than {seconds:g} seconds and was stopped. {limit.advice}"
            ) from error

    return wrapped
