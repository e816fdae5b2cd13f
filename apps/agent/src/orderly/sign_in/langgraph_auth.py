"""Authentication and authorisation handlers of LangGraph servers. Anything not allowed here is denied."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from langgraph_sdk import Auth

from orderly.errors import Conflict, Denied, Invalid, NotFound, OrderlyError, TooLarge
from orderly.models import Caller
from orderly.settings import Settings, is_loopback
from orderly.sign_in.bearer import header_token
from orderly.sign_in.client_writes import check_run, clean_command, clean_values
from orderly.sign_in.cookies import by_own_page, cookie_token
from orderly.sign_in.identity import NOT_SIGNED_IN, seal
from orderly.sign_in.message_files import store_files
from orderly.sign_in.opened_threads import RecentOpens
from orderly.store.base import Store
from orderly.store.functions.conversations import check_thread, delete_thread, my_threads, register_thread
from orderly.wiring.services import Services, current_services

T = TypeVar("T")

auth = Auth()
_log = logging.getLogger(__name__)

THREAD_KEY = "orderly_thread"
"""Metadata key that holds the thread's id, since filters match metadata only."""

RESERVED_KEYS = ("__deepagents_subagent_response_format",)
"""Internal configurable keys, removed from client requests."""

RESERVED_PREFIX = "__pregel_"
"""Prefix of LangGraph's internal configurable keys, removed from client requests."""


recent_opens = RecentOpens()

_STATUS: dict[type[OrderlyError], int] = {NotFound: 404, TooLarge: 413, Conflict: 409, Invalid: 422, Denied: 403}
"""Status by kind of error, the special before the general; 503 for others."""


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Returns the sealed identity. Takes only headers and raises only 401, as all servers with this interface support."""
    plain = {_text(name).lower(): _text(value) for name, value in headers.items()}
    try:
        services = await current_services()
        user_id = await _user(services, plain)
    except Denied as error:
        raise Auth.exceptions.HTTPException(status_code=401, detail=error.message) from error
    except OrderlyError as error:
        _log.exception("Authentication is unavailable.")
        raise Auth.exceptions.HTTPException(status_code=401, detail="Sign-in is not possible just now.") from error
    return cast(
        Auth.types.MinimalUserDict,
        {"identity": user_id, "is_authenticated": True, **seal(user_id, services.secret)},
    )


async def _user(services: Services, headers: Mapping[str, str]) -> str:
    token = header_token(headers)
    if headers.get("x-auth-scheme") == "langsmith":
        token = _studio_token(services, headers)
    if not token and by_own_page(headers, services.settings.public_url):
        token = cookie_token(headers)
    if not token:
        raise Denied(NOT_SIGNED_IN)
    return await services.user_of_token(token)


def _studio_token(services: Services, headers: Mapping[str, str]) -> str:
    """The configured token of LangGraph Studio, which sends none. Only for listed pages, on a loopback address."""
    settings = services.settings
    if settings.studio_token is None or not is_loopback(settings.bind_host) or not _by_studio(headers, settings):
        raise Denied(NOT_SIGNED_IN)
    return settings.studio_token.get_secret_value()


def _by_studio(headers: Mapping[str, str], settings: Settings) -> bool:
    """Whether a listed page sent the request, or a program of this machine, which sends neither Origin nor Sec-Fetch-Site.

    The Host is checked because a page may give its own domain the address of this machine (DNS rebinding).
    """
    try:
        host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    except ValueError:
        return False
    origin = headers.get("origin")
    listed = "sec-fetch-site" not in headers if origin is None else origin in settings.listed_origins
    return is_loopback(host) and listed


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


@auth.on
async def deny_by_default(ctx: Auth.types.AuthContext, value: Any) -> bool:
    return False


@auth.on(resources="assistants", actions=["read", "search"])
async def read_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Everyone may use the assistants. Clients cannot create any, so all belong to the installation."""
    return True


@auth.on.threads.create
async def own_new_thread(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Creates a thread; the client may also get an existing one, so access is checked."""
    if "metadata" not in value:
        # Only copying sends no metadata. A copy has no record of read matters, so ethical walls would not apply to it.
        raise Auth.exceptions.HTTPException(status_code=403, detail="Conversations are not copied.")
    await _check(ctx, value)
    await _register(ctx, value)
    return _own(ctx, value)


@auth.on.threads.create_run
async def own_run(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    kwargs = value.get("kwargs") or {}
    for settings in (kwargs.get("config") or {}).get("configurable"), kwargs.get("context"):
        if isinstance(settings, dict):
            for key in [key for key in settings if key in RESERVED_KEYS or key.startswith(RESERVED_PREFIX)]:
                del settings[key]
    await _check(ctx, value)
    _clean_request(kwargs)
    await _register(ctx, value)
    await _store_files(ctx, value.get("thread_id"), kwargs)
    return _own(ctx, value)


@auth.on.threads.update
async def own_update(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    await _check(ctx, value)
    return _own(ctx, value)


@auth.on.threads.read
async def own_thread(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    await _check(ctx, value, opened=True)
    return {"owner": ctx.user.identity}


@auth.on.threads.delete
async def own_deletion(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Deletes the files of the conversation too; raises 409 while one of them is under a legal hold.

    Closed threads may be deleted too, since deletion discloses nothing. Servers also ask here before they delete one run, which
    deletes no files, and before they delete several threads without naming them, which is refused.
    """
    if value.get("run_id"):
        return {"owner": ctx.user.identity}
    if not (thread := value.get("thread_id")):
        raise Auth.exceptions.HTTPException(status_code=403, detail="Conversations are deleted one by one, with their files.")
    with _sent():
        await delete_files(ctx.user.identity, str(thread))
    return {"owner": ctx.user.identity}


async def delete_files(user_id: str, thread_id: str) -> None:
    """Deletes the files, links and unfinished uploads of a conversation. Raises Conflict while a file is under a legal hold."""
    services = await current_services()
    await delete_thread(services.store, Caller(user_id), thread_id)
    await services.uploads.remove_thread(user_id, thread_id)


@auth.on.threads.search
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Filters out closed threads. Filters cannot exclude values, so the open threads are listed.

    Some servers also call this handler for the runs of one thread and ignore the filter; hence the access check.
    """
    await _check(ctx, value, opened=True)
    mine = {"owner": ctx.user.identity}
    listing = await _asked(ctx, my_threads)
    if listing["open"] is None:
        return mine
    names = [{THREAD_KEY: thread} for thread in listing["open"]] or [{THREAD_KEY: ""}]
    return {**mine, "$or": names} if len(names) > 1 else {**mine, **names[0]}


def _clean_request(request: dict[str, Any]) -> None:
    """Refuses a run that would write more than the user's messages or stop on its way. The graph checks both again."""
    try:
        check_run(request)
        if request.get("input") is not None:
            request["input"] = clean_values(request["input"], None)
        if request.get("command"):
            request["command"] = clean_command(request["command"], None)
    except Invalid as error:
        raise Auth.exceptions.HTTPException(status_code=422, detail=error.message) from error


async def _store_files(ctx: Auth.types.AuthContext, thread: object, request: dict[str, Any]) -> None:
    """Makes the files of the messages documents of the conversation, before the server stores the run."""
    with _sent():
        await store_sent_files(ctx.user.identity, str(thread) if thread else None, request)


async def store_sent_files(user_id: str, thread_id: str | None, request: dict[str, Any]) -> None:
    """Replaces files in `input` and in the update of `command` by documents of the conversation. Raises as `store_files`."""
    services = await current_services()
    caller = Caller(user_id, thread_id=thread_id)
    for place, key in (request, "input"), (request.get("command"), "update"):
        if isinstance(place, dict) and place.get(key):
            place[key] = await store_files(services.registrar, services.library, caller, place[key])


async def _check(ctx: Auth.types.AuthContext, value: Any, *, opened: bool = False) -> None:
    """Raises 404 if the thread has read matters that the caller may no longer access. `opened`: audit a recent open once."""
    if thread := value.get("thread_id"):
        thread_open = ctx.user.identity, str(thread)
        to_record = opened and not recent_opens.contains(thread_open)
        await _asked(ctx, partial(check_thread, thread_id=str(thread), opened=to_record or None))
        if to_record:
            recent_opens.add(thread_open)


async def _register(ctx: Auth.types.AuthContext, value: Any) -> None:
    if thread := value.get("thread_id"):
        await _asked(ctx, partial(register_thread, thread_id=str(thread)))


async def _asked(ctx: Auth.types.AuthContext, function: Callable[[Store, Caller], Awaitable[T]]) -> T:
    """Calls a store function as the user. Raises errors that the server can send."""
    services = await current_services()
    with _sent():
        return await function(services.store, Caller(ctx.user.identity))


@contextmanager
def _sent() -> Iterator[None]:
    """Turns errors into what the server can send."""
    try:
        yield
    except OrderlyError as error:
        raise Auth.exceptions.HTTPException(status_code=status_of(error), detail=error.message) from error


def status_of(error: OrderlyError) -> int:
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 503)


def _own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Sets the owner in the metadata, replacing the client's value, and returns the filter for own threads."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        metadata = value["metadata"] = {}
    metadata["owner"] = ctx.user.identity
    metadata.pop(THREAD_KEY, None)
    if thread := value.get("thread_id"):
        metadata[THREAD_KEY] = str(thread)
    return {"owner": ctx.user.identity}
