"""Slots of users for tools that calculate, read files or search: one user's calls never hold back another's."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

from orderly.agent.tools.context import services_and_caller

P = ParamSpec("P")
ToolOutput = tuple[Any, list[dict[str, Any]]]

LIGHT = frozenset(
    {
        "think_tool", "list_matters", "list_matter_documents", "list_contents", "find", "get_info",
        "read_review", "run_review", "judge_cell",
    }
)  # fmt: skip
"""Tools that only ask the database."""


def with_slot(tool: Callable[P, Awaitable[ToolOutput]]) -> Callable[P, Awaitable[ToolOutput]]:
    """Wraps `tool` so that it waits for one of the user's slots, which the routes of REST share. The wrapper raises TooBusy."""
    if tool.__name__ in LIGHT:
        return tool

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> ToolOutput:
        config: Any = kwargs.get("config")
        services, caller = await services_and_caller(config)
        async with services.calculations.slot(caller.user_id):
            return await tool(*args, **kwargs)

    return wrapped
