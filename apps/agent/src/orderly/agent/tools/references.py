"""Names in place of ids: wherever a tool takes an id, it takes the name of a matter or document too."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ParamSpec

from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.names import (
    are_ids,
    document_not_found,
    find_document,
    find_matter,
    find_section,
    is_name,
    matter_not_found,
)
from orderly.errors import Invalid
from orderly.services.documents import ALL_MATTERS

P = ParamSpec("P")
ToolOutput = tuple[Any, list[dict[str, Any]]]

MATTERS = frozenset({"matter_id"})
DOCUMENTS = frozenset({"document_id", "document_ids", "within"})
ANYTHING = "path_part_id"
ITEMS = frozenset({"view_page"})
"""Tools whose `document_id` may be that of any part of a document."""

LISTING = "list_contents"
"""The tool in which a name is that of a matter before that of a document."""

NO_MATTER = "Name the matter: matter_id takes its number, its title or its id."


def with_names(tool: Callable[P, Awaitable[ToolOutput]]) -> Callable[P, Awaitable[ToolOutput]]:
    """Wraps `tool` so that names in its id arguments become ids. A name that nothing has is an error that lists near ones."""

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> ToolOutput:
        resolved: Any = dict(kwargs)
        for name in sorted(kwargs, key=lambda name: name not in MATTERS):  # documents are named within the matter
            resolved[name] = await _resolved(tool.__name__, name, resolved[name], resolved)
        return await tool(*args, **resolved)

    return wrapped


async def _resolved(tool: str, argument: str, value: Any, arguments: Mapping[str, Any]) -> Any:
    if argument not in MATTERS | DOCUMENTS | {ANYTHING}:
        return value
    if isinstance(value, list):
        return [await _resolved(tool, argument, item, arguments) for item in value]
    if not isinstance(value, str) or not is_name(value) or are_ids(value):
        return value
    services, caller = await services_and_caller(arguments.get("config"))
    if argument in MATTERS or (argument == ANYTHING and tool == LISTING):
        if found := await find_matter(services.library, caller, value):
            return found
        raise await matter_not_found(services.library, caller, value, "Item" if argument == ANYTHING else "Matter")
    matter = str(arguments.get("matter_id") or "")
    found = await find_section(services, caller, value, matter) if argument in {ANYTHING, "within"} else None
    found = found or await find_document(services, caller, value, matter)
    if found is None and argument == ANYTHING:
        found = await find_matter(services.library, caller, value)
    if found is None:
        kind = "Item" if argument == ANYTHING or tool in ITEMS else "Document"
        raise await document_not_found(services, caller, value, matter, kind)
    return found


async def default_matter(matter_id: str | None, within: list[str] | None, config: Any) -> str:
    """The matter of a call that names none: all matters where `within` says what to search, else the caller's only matter.

    Raises:
        Invalid: The caller has several matters, or none.
    """
    if matter_id:
        return matter_id
    if within:
        return ALL_MATTERS
    services, caller = await services_and_caller(config)
    matters = await services.library.matters(caller)
    if len(matters) != 1:
        raise Invalid(NO_MATTER)
    return matters[0]["id"]
