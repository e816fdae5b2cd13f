"""Authentication and authorization of the LangGraph server: sealed identities, and access denied by default."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar, cast

from langgraph_sdk import Auth

from orderly.errors import Denied, Invalid, NotFound, OrderlyError
from orderly.models import Caller
from orderly.settings import is_loopback
from orderly.sign_in.bearer import header_token
from orderly.sign_in.cookies import by_own_page, cookie_token
from orderly.sign_in.identity import NOT_SIGNED_IN, seal
from orderly.sign_in.opened_threads import OpenedThreads
from orderly.store.base import Store
from orderly.store.functions.conversations import check_thread, my_threads, register_thread
from orderly.wiring.services import Services, current_services

T = TypeVar("T")

auth = Auth()
_log = logging.getLogger(__name__)

THREAD_KEY = "orderly_thread"
"""Metadata key that holds the thread's id, because search filters only match metadata."""

RESERVED_KEYS = ("__deepagents_subagent_response_format",)
"""Configuration keys that control the agents internally; removed from clients' requests."""


opened_threads = OpenedThreads()


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Authenticates a request by its headers. Raises only 401, which every LangGraph-compatible server supports."""
    plain = {_text(name).lower(): _text(value) for name, value in headers.items()}
    try:
        services = await current_services()
        user_id = await _user(services, plain)
    except Denied as error:
        raise Auth.exceptions.HTTPException(status_code=401, detail=error.message) from error
    except OrderlyError as error:
        _log.exception("Authentication is not possible.")
        raise Auth.exceptions.HTTPException(status_code=401, detail="Sign-in is not possible just now.") from error
    return cast(
        Auth.types.MinimalUserDict,
        {"identity": user_id, "is_authenticated": True, **seal(user_id, services.secret)},
    )


async def _user(services: Services, headers: Mapping[str, str]) -> str:
    token = header_token(headers)
    if headers.get("x-auth-scheme") == "langsmith":
        token = _studio_token(services)
    if not token and by_own_page(headers):
        token = cookie_token(headers)
    if not token:
        raise Denied(NOT_SIGNED_IN)
    return await services.user_of_token(token)


def _studio_token(services: Services) -> str:
    """The token for LangGraph Studio, which sends none: only if ORDERLY_STUDIO_TOKEN is set, on a loopback address."""
    settings = services.settings
    if settings.studio_token is None or not is_loopback(settings.bind_host):
        raise Denied(NOT_SIGNED_IN)
    return settings.studio_token.get_secret_value()


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


@auth.on
async def deny_by_default(ctx: Auth.types.AuthContext, value: Any) -> bool:
    return False


@auth.on(resources="assistants", actions=["read", "search"])
async def read_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Allows everybody: users cannot create assistants, so all assistants belong to the installation."""
    return True


@auth.on.threads.create
async def own_new_thread(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Checks access too, because a create request with `if_exists` may return an existing thread."""
    if "metadata" not in value:
        # Only copy requests have no metadata. A copy would have no list of documents read, so no wall could close it.
        raise Auth.exceptions.HTTPException(status_code=403, detail="Conversations are not copied.")
    await _require_open_thread(ctx, value)
    await _register_thread(ctx, value)
    return _set_owner(ctx, value)


@auth.on.threads.create_run
async def own_run(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    kwargs = value.get("kwargs") or {}
    for settings in (kwargs.get("config") or {}).get("configurable"), kwargs.get("context"):
        for key in RESERVED_KEYS:
            if isinstance(settings, dict):
                settings.pop(key, None)
    await _require_open_thread(ctx, value)
    await _register_thread(ctx, value)
    return _set_owner(ctx, value)


@auth.on.threads.update
async def own_update(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    await _require_open_thread(ctx, value)
    return _set_owner(ctx, value)


@auth.on.threads.read
async def own_thread(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    await _require_open_thread(ctx, value, opened=True)
    return {"owner": ctx.user.identity}


@auth.on.threads.delete
async def own_deletion(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Allows the owner to delete a closed thread too: deletion reveals nothing."""
    return {"owner": ctx.user.identity}


@auth.on.threads.search
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Excludes closed threads. Filters cannot exclude values, so the filter lists the open threads if any is closed.

    Checks `thread_id` too: servers use this handler, and ignore its filter, when they list the runs of one thread.
    """
    await _require_open_thread(ctx, value, opened=True)
    mine = {"owner": ctx.user.identity}
    listing = await _call_store(ctx, my_threads)
    if listing["open"] is None:
        return mine
    names = [{THREAD_KEY: thread} for thread in listing["open"]] or [{THREAD_KEY: ""}]
    return {**mine, "$or": names} if len(names) > 1 else {**mine, **names[0]}


async def _require_open_thread(ctx: Auth.types.AuthContext, value: Any, *, opened: bool = False) -> None:
    """Raises 404 for a thread that has read documents the caller may no longer read.

    Checks on each call. `opened`: also record the opening, once per OPEN_SECONDS.
    """
    if thread := value.get("thread_id"):
        opening = ctx.user.identity, str(thread)
        to_record = opened and not opened_threads.contains(opening)
        await _call_store(ctx, partial(check_thread, thread_id=str(thread), opened=to_record or None))
        if to_record:
            opened_threads.add(opening)


async def _register_thread(ctx: Auth.types.AuthContext, value: Any) -> None:
    if thread := value.get("thread_id"):
        await _call_store(ctx, partial(register_thread, thread_id=str(thread)))


async def _call_store(ctx: Auth.types.AuthContext, function: Callable[[Store, Caller], Awaitable[T]]) -> T:
    """Calls a store function as the user; converts errors to HTTP exceptions."""
    services = await current_services()
    try:
        return await function(services.store, Caller(ctx.user.identity))
    except NotFound as error:
        raise Auth.exceptions.HTTPException(status_code=404, detail=error.message) from error
    except Invalid as error:
        raise Auth.exceptions.HTTPException(status_code=422, detail=error.message) from error
    except OrderlyError as error:
        raise Auth.exceptions.HTTPException(status_code=503, detail=error.message) from error


def _set_owner(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Overwrites the owner in the metadata; the returned filter matches only the caller's threads."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        metadata = value["metadata"] = {}
    metadata["owner"] = ctx.user.identity
    metadata.pop(THREAD_KEY, None)
    if thread := value.get("thread_id"):
        metadata[THREAD_KEY] = str(thread)
    return {"owner": ctx.user.identity}
