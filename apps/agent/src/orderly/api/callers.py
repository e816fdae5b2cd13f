"""Dependencies of routes: the services, and the caller by bearer token, X-API-Key header or session cookie."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request

from orderly.api.errors import NotSignedIn
from orderly.errors import Denied
from orderly.models import Caller
from orderly.settings import is_loopback
from orderly.sign_in.bearer import header_token
from orderly.sign_in.cookies import COOKIE, may_change
from orderly.sign_in.identity import NOT_SIGNED_IN
from orderly.wiring.services import Services, current_services

CHAT_HEADER = "orderly-chat"
"""Header that names the thread; `?chat=` for clients that cannot set a header."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


async def provide_services() -> Services:
    return await current_services()


CurrentServices = Annotated[Services, Depends(provide_services)]


def public_address(request: Request, services: Services) -> str:
    """Base URL under which people reach this server, without a trailing slash: for redirects and links by e-mail."""
    return (services.settings.public_url or str(request.base_url)).rstrip("/")


def public_address_is_trusted(request: Request, services: Services) -> bool:
    """Whether `public_address` may be sent to a person other than the client.

    Without ORDERLY_PUBLIC_URL the address comes from the client's Host header, which could point to an attacker's site.
    A loopback Host on a server bound to loopback is safe.
    """
    local = is_loopback(services.settings.bind_host) and is_loopback(request.base_url.hostname or "")
    return bool(services.settings.public_url) or local


def is_tls(request: Request, services: Services) -> bool:
    """Whether clients connect over TLS, including TLS that ends at a proxy whose headers are not trusted."""
    return "https" in (request.url.scheme, urlsplit(services.settings.public_url).scheme)


def token_of(request: Request, services: Services) -> str:
    """Reads the token of a request from its headers or its session cookie.

    Raises:
        NotSignedIn: the request has no token.
        Denied: the request is unsafe, signed in by cookie and not same-origin (CSRF).
    """
    if token := header_token(request.headers):
        return token
    cookie = request.cookies.get(COOKIE, "")
    if not cookie:
        raise NotSignedIn(NOT_SIGNED_IN)
    if request.method not in _SAFE and not may_change(request.method, request.headers, services.settings.public_url):
        raise Denied(_refusal(request))
    return cookie


def _refusal(request: Request) -> str:
    if "origin" in request.headers or "sec-fetch-site" in request.headers:
        return "This request came from another site's page and was refused."
    return (
        "With the session cookie, a POST needs the header Origin with this server's address, or X-Requested-With: orderly. "
        "Programs can send a token instead: Authorization: Bearer."
    )


async def caller(request: Request, services: CurrentServices) -> Caller:
    """Authenticates the request. Raises NotSignedIn for a missing or invalid token."""
    token = token_of(request, services)
    try:
        return Caller(user_id=await services.user_of_token(token), thread_id=_chat(request))
    except Denied as error:
        raise NotSignedIn(error.message) from error


def _chat(request: Request) -> str | None:
    """Thread id that the client names. Another user's thread grants no access: a workspace has one member."""
    thread_id = request.headers.get(CHAT_HEADER) or request.query_params.get("chat") or ""
    return thread_id if thread_id and thread_id.isprintable() and len(thread_id) <= 200 else None


SignedIn = Annotated[Caller, Depends(caller)]


async def take_turn(caller: SignedIn, services: CurrentServices) -> AsyncIterator[None]:
    """Waits for a slot of the user for the engine and the readers, and occupies it until the response is made."""
    async with services.calculations.slot(caller.user_id):
        yield
