"""Names in place of ids: wherever a tool takes an id, it takes the name of a matter or document too."""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, ParamSpec

from orderly.agent.tools.context import services_and_caller
from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.documents import ALL_MATTERS
from orderly.wiring.services import Services

P = ParamSpec("P")
ToolOutput = tuple[Any, list[dict[str, Any]]]

MATTERS = frozenset({"matter_id"})
DOCUMENTS = frozenset({"document_id", "document_ids", "within"})
ANYTHING = "path_part_id"
LISTING = "list_contents"
"""The tool in which a name is that of a matter before that of a document."""

NO_MATTER = "Name the matter: matter_id takes its number, its title or its id."
AMBIGUOUS = "{name!r} is the name of several: {choices}. Name one by its id."
MAX_CHOICES = 10
MAX_NAME = 300
"""Characters of a name."""

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|m-\d{4}-\d+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def with_names(tool: Callable[P, Awaitable[ToolOutput]]) -> Callable[P, Awaitable[ToolOutput]]:
    """Wraps `tool` so that names in its id arguments become ids. A name that nothing has stays, and the tool says so."""

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> ToolOutput:
        resolved: Any = {name: await _resolved(tool.__name__, name, value, kwargs) for name, value in kwargs.items()}
        return await tool(*args, **resolved)

    return wrapped


async def _resolved(tool: str, argument: str, value: Any, arguments: Mapping[str, Any]) -> Any:
    if argument not in MATTERS | DOCUMENTS | {ANYTHING}:
        return value
    if isinstance(value, list):
        return [await _resolved(tool, argument, item, arguments) for item in value]
    if not isinstance(value, str) or not _is_name(value):
        return value
    services, caller = await services_and_caller(arguments.get("config"))
    if argument in MATTERS or (argument == ANYTHING and tool == LISTING):
        return await find_matter(services, caller, value) or value
    found = await find_document(services, caller, value, str(arguments.get("matter_id") or ""))
    if found is None and argument == ANYTHING:
        found = await find_matter(services, caller, value)
    return found or value


def _is_name(value: str) -> bool:
    text = value.strip()
    return (
        bool(text) and text.isprintable() and len(text) <= MAX_NAME and not _ID.fullmatch(text) and text.lower() != ALL_MATTERS
    )


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


async def find_matter(services: Services, caller: Caller, name: str) -> str | None:
    """The matter of the caller with this slug, or this title in any case and punctuation, else the only one with its words.

    Raises:
        Invalid: Several matters have the name.
    """
    matters = await services.library.matters(caller)
    if by_slug := next((m["id"] for m in matters if m["slug"] == name.strip().lower()), None):
        return by_slug
    names = {m["id"]: f"{m['number']} {m['title']}" for m in matters}
    return _one(name, _same(name, {m["id"]: m["title"] for m in matters}) or _containing(name, names), names)


async def find_document(services: Services, caller: Caller, name: str, matter: str = "") -> str | None:
    """The document with this file name, with or without its ending, else the only one whose name has its words.

    Args:
        services: Services of the run.
        caller: Who asks. Documents of other people's matters are not found.
        name: The name as a person or a model wrote it.
        matter: Id of the matter to which the search is kept; blank or "all": every matter of the caller.

    Raises:
        Invalid: Several documents have the name.
    """
    wanted = name.strip().strip("[]“”\"'`").strip()
    words = sorted(_WORD.findall(wanted), key=len)
    if not words:
        return None
    names: dict[str, str] = {}
    for part in dict.fromkeys((wanted, words[-1])):
        listing = await services.navigation.find(caller, part, "DOCUMENT", 100, 0)
        items = zip(listing.items, listing.found_at or (), strict=False)
        names |= {item["id"]: item["name"] for item, place in items if not _ID.fullmatch(matter) or _is_in(place, matter)}
        if found := _same(wanted, names) or _same(wanted, {id: n.rpartition(".")[0] for id, n in names.items()}):
            return _one(name, found, names)
    return _one(name, _containing(wanted, names), names)


def _is_in(place: Mapping[str, Any], matter: str) -> bool:
    return matter.lower() in (str(place.get("matter_id")).lower(), str(place.get("matter_number")).lower())


def _same(name: str, names: Mapping[str, str]) -> list[str]:
    exact = [id for id, other in names.items() if other.strip() == name.strip()]
    return exact or [id for id, other in names.items() if _words(other) == _words(name)]


def _containing(name: str, names: Mapping[str, str]) -> list[str]:
    """Ids of the names in which all the words stand, in this order."""
    wanted = f" {' '.join(_words(name))} "
    return [id for id, other in names.items() if wanted.strip() and wanted in f" {' '.join(_words(other))} "]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _one(name: str, found: Iterable[str], names: Mapping[str, str]) -> str | None:
    ids = list(found)
    if len(ids) > 1:
        shown = ", ".join(f"{names[id]} (ID: {id})" for id in ids[:MAX_CHOICES])
        raise Invalid(AMBIGUOUS.format(name=name.strip(), choices=shown + (" …" if len(ids) > MAX_CHOICES else "")))
    return ids[0] if ids else None
