"""Who is calling a route: a bearer token, the key header of stock frontends, or the session cookie of the page."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request

from orderly.api.errors import NotSignedIn
from orderly.errors import Denied
from orderly.models import Caller
from orderly.settings import is_loopback
from orderly.sign_in.bearer import header_token
from orderly.sign_in.cookies import COOKIE, same_origin
from orderly.sign_in.identity import NOT_SIGNED_IN
from orderly.wiring.services import Services, current_services

CHAT_HEADER = "orderly-chat"
"""Or ?chat= where no header can be set."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


async def services() -> Services:
    return await current_services()


Held = Annotated[Services, Depends(services)]


def own_page(request: Request, held: Services) -> str:
    """Where people reach this server, without a slash at the end: for addresses that others send them back to."""
    return (held.settings.public_url or str(request.base_url)).rstrip("/")


def knows_own_page(request: Request, held: Services) -> bool:
    """Whether `own_page` is not merely what a client says: for addresses that are sent to somebody else than who asked.

    Without ORDERLY_PUBLIC_URL it is the request's Host. Nobody is led astray by one that names their own machine.
    """
    here = is_loopback(held.settings.bind_host) and is_loopback(request.base_url.hostname or "")
    return bool(held.settings.public_url) or here


def is_tls(request: Request, held: Services) -> bool:
    """Whether people reach this server by TLS, also where a proxy in front speaks it and its headers are not trusted."""
    return "https" in (request.url.scheme, urlsplit(held.settings.public_url).scheme)


def token_of(request: Request) -> str:
    """The token that came with a request.

    Raises:
        NotSignedIn: none came.
        Denied: a cookie came with a change that another site's page may have sent.
    """
    if token := header_token(request.headers):
        return token
    cookie = request.cookies.get(COOKIE, "")
    if not cookie:
        raise NotSignedIn(NOT_SIGNED_IN)
    if request.method not in _SAFE and not same_origin(request.headers):
        raise Denied("This request came from another site's page and was refused.")
    return cookie


async def caller(request: Request, held: Held) -> Caller:
    """Raises NotSignedIn for a token that is missing or not valid now."""
    token = token_of(request)
    try:
        return Caller(user_id=await held.user_of_token(token), thread_id=_chat(request))
    except Denied as error:
        raise NotSignedIn(error.message) from error


def _chat(request: Request) -> str | None:
    """The chat whose files a request is about. Naming another one's opens nothing: a workspace has one member."""
    named = request.headers.get(CHAT_HEADER) or request.query_params.get("chat") or ""
    return named if named and named.isprintable() and len(named) <= 200 else None


SignedIn = Annotated[Caller, Depends(caller)]
