"""How long each tool may take, and what is said when it takes longer."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, ParamSpec

from orderly.errors import TookTooLong
from orderly.wiring.services import current_services

P = ParamSpec("P")
Answer = tuple[Any, list[dict[str, Any]]]


class Limit(NamedTuple):
    setting: str
    what: str
    advice: str


_LISTING = Limit("list_seconds", "The listing", "Ask for less at once (limit, or a folder), or try again.")
_READING = Limit("read_seconds", "Reading", "Ask for a section or for fewer pages, or try again.")
_SEARCHING = Limit("search_seconds", "The search", "Keep it to folders or documents with within, or try again.")
_DRAWING = Limit("image_seconds", "Drawing the page", "Read its text instead, or try again.")
_LOOKING = Limit("visual_seconds", "The search by sight", "Search by words instead, or try again.")

LIMITS = {
    "list_matters": _LISTING,
    "list_matter_documents": _LISTING,
    "list_contents": _LISTING,
    "find": _LISTING,
    "get_info": _LISTING,
    "get_document_text": _READING,
    "read": _READING,
    "read_around": _READING,
    "isaacus_search": _SEARCHING,
    "search_keyword": _SEARCHING,
    "file_search": _SEARCHING,
    "view_page": _DRAWING,
    "visual_search": _LOOKING,
}
"""By name of the tool. What is not named here asks an engine, which has time limits of its own."""


def within_time(tool: Callable[P, Awaitable[Answer]]) -> Callable[P, Awaitable[Answer]]:
    """Let `tool` run no longer than its limit. Raises TookTooLong."""
    limit = LIMITS.get(tool.__name__)
    if limit is None:
        return tool

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> Answer:
        seconds: float = getattr((await current_services()).settings, limit.setting)
        try:
            async with asyncio.timeout(seconds) as clock:
                return await tool(*args, **kwargs)
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise TookTooLong(f"{limit.what} took longer than {seconds:g} seconds and was stopped. {limit.advice}") from error

    return wrapped
