"""Who may use the server: a bearer token becomes a sealed identity, and everything that is not opened here is denied."""

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
from orderly.sign_in.opened_threads import Openings
from orderly.store.base import Store
from orderly.store.functions.conversations import check_thread, my_threads, register_thread
from orderly.wiring.services import Services, current_services

T = TypeVar("T")

auth = Auth()
_log = logging.getLogger(__name__)

THREAD_KEY = "orderly_thread"
"""Metadata of a thread: its own id, which filters cannot ask for otherwise."""

RESERVED_KEYS = ("__deepagents_subagent_response_format",)
"""Configurable keys that steer the agents from inside and are not a client's to send."""


openings = Openings()


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Takes only headers, and raises only 401, so that every server that speaks this interface can use it."""
    plain = {_text(name).lower(): _text(value) for name, value in headers.items()}
    try:
        services = await current_services()
        user_id = await _user(services, plain)
    except Denied as error:
        raise Auth.exceptions.HTTPException(status_code=401, detail=error.message) from error
    except OrderlyError as error:
        _log.exception("no one can sign in")
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
    """LangGraph Studio sends no token. It is let in by an explicit setting, and only while nobody else can connect."""
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
    """Nobody can create assistants, so those there are come with the installation and are everyone's to use."""
    return True


@auth.on.threads.create
async def own_new_thread(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """One that is there already may be what the client gets."""
    if "metadata" not in value:
        # Only copying comes without: a copy would have read nothing, and no wall would ever close it.
        raise Auth.exceptions.HTTPException(status_code=403, detail="Conversations are not copied.")
    await _check(ctx, value)
    await _register(ctx, value)
    return _own(ctx, value)


@auth.on.threads.create_run
async def own_run(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    kwargs = value.get("kwargs") or {}
    for settings in (kwargs.get("config") or {}).get("configurable"), kwargs.get("context"):
        for key in RESERVED_KEYS:
            if isinstance(settings, dict):
                settings.pop(key, None)
    await _check(ctx, value)
    await _register(ctx, value)
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
    """Also of one that is closed: deleting shows nothing."""
    return {"owner": ctx.user.identity}


@auth.on.threads.search
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Those that are closed are left out. Filters only say what must be there, so then the open ones are named.

    A server may ask this of one conversation's runs too, and then heed no filter.
    """
    await _check(ctx, value, opened=True)
    mine = {"owner": ctx.user.identity}
    listing = await _asked(ctx, my_threads)
    if listing["open"] is None:
        return mine
    names = [{THREAD_KEY: thread} for thread in listing["open"]] or [{THREAD_KEY: ""}]
    return {**mine, "$or": names} if len(names) > 1 else {**mine, **names[0]}


async def _check(ctx: Auth.types.AuthContext, value: Any, *, opened: bool = False) -> None:
    """404 for a conversation that has read what is no longer the caller's. Asked each time; put on record once an opening."""
    if thread := value.get("thread_id"):
        opening = ctx.user.identity, str(thread)
        to_record = opened and not openings.known(opening)
        await _asked(ctx, partial(check_thread, thread_id=str(thread), opened=to_record or None))
        if to_record:
            openings.note(opening)


async def _register(ctx: Auth.types.AuthContext, value: Any) -> None:
    if thread := value.get("thread_id"):
        await _asked(ctx, partial(register_thread, thread_id=str(thread)))


async def _asked(ctx: Auth.types.AuthContext, function: Callable[[Store, Caller], Awaitable[T]]) -> T:
    """What a function of the store gives for the user. Raises what the server can send."""
    services = await current_services()
    try:
        return await function(services.store, Caller(ctx.user.identity))
    except NotFound as error:
        raise Auth.exceptions.HTTPException(status_code=404, detail=error.message) from error
    except Invalid as error:
        raise Auth.exceptions.HTTPException(status_code=422, detail=error.message) from error
    except OrderlyError as error:
        raise Auth.exceptions.HTTPException(status_code=503, detail=error.message) from error


def _own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any]:
    """Write the owner over whatever the client sent, and match only what is the caller's already."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        metadata = value["metadata"] = {}
    metadata["owner"] = ctx.user.identity
    metadata.pop(THREAD_KEY, None)
    if thread := value.get("thread_id"):
        metadata[THREAD_KEY] = str(thread)
    return {"owner": ctx.user.identity}
