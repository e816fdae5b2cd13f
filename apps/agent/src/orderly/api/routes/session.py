"""Sign-in of the page: exchanges a token, password or link for an HttpOnly, SameSite session cookie."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field, SecretStr

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn, is_tls, public_address, public_address_is_trusted
from orderly.api.errors import NotSignedIn, error_responses
from orderly.errors import Denied, Misconfigured
from orderly.models import Caller
from orderly.sign_in.cookies import COOKIE, REFRESH_COOKIE, same_origin
from orderly.sign_in.supabase import LINK_SPENT, SessionTokens
from orderly.store.functions.firm import whoami

router = APIRouter(prefix="/api", tags=["session"], responses=error_responses(403))

REFRESH_PATH = "/api/session"
LINK_PATH = "/api/session/link"
LINK_COOKIE = "session_link"
LINK_SECONDS = 3600
"""Lifetime of the cookie that a sign-in link needs; Supabase sets the lifetime of the link."""
COOKIE_SECONDS = 400 * 24 * 3600
"""Lifetime of the session cookie, the longest that browsers keep. The token inside ends the sign-in; each request checks it."""
REFRESH_SECONDS = 30 * 24 * 3600
"""Lifetime of the cookie with the refresh token; Supabase sets the lifetime of the session."""


class SignIn(Body):
    token: str = Field(
        min_length=1, max_length=8192, description="A Supabase access token, or one that `orderly user token` issued."
    )


class Password(Body):
    email: str = Field(min_length=3, max_length=320)
    password: SecretStr = Field(min_length=1, max_length=1024)


class Address(Body):
    email: str = Field(min_length=3, max_length=320)


class User(BaseModel):
    user_id: str
    email: str
    display_name: str
    tenant_id: str
    tenant_name: str
    is_admin: bool
    is_conflicts_officer: bool
    expires_in: int | None = Field(default=None, description="Seconds until the page must refresh the session.")


@router.post("/session")
async def sign_in(body: SignIn, request: Request, response: Response, services: CurrentServices) -> User:
    """Exchange a token for the session cookie."""
    _require_own_page(services, request)
    return await _sign_in(services, request, response, body.token)


@router.post("/session/password", responses=error_responses(403, 429))
async def sign_in_by_password(body: Password, request: Request, response: Response, services: CurrentServices) -> User:
    """Sign in with Supabase Auth, if configured (see `/api/sign-in`)."""
    _require_own_page(services, request)
    try:
        tokens = await services.supabase_sign_in.with_password(body.email, body.password.get_secret_value())
    except Denied as error:
        raise NotSignedIn(error.message) from error
    return await _start_session(services, request, response, tokens)


@router.post("/session/link", status_code=202, responses=error_responses(403))
async def send_link(body: Address, request: Request, response: Response, services: CurrentServices) -> None:
    """Send a sign-in link by e-mail, if Supabase Auth is configured. The link works once, in this browser.

    The response does not reveal whether the address belongs to a user.
    """
    _require_own_page(services, request)
    if services.supabase_sign_in.available and not public_address_is_trusted(request, services):
        raise Misconfigured("Links by e-mail need ORDERLY_PUBLIC_URL to be set, the address that they lead to.")
    verifier = secrets.token_urlsafe(48)
    await services.supabase_sign_in.send_link(body.email, verifier, f"{public_address(request, services)}{LINK_PATH}")
    # Lax, not strict: the browser follows a link from an e-mail, or a redirect of Supabase.
    response.set_cookie(
        LINK_COOKIE, verifier, max_age=LINK_SECONDS, httponly=True, samesite="lax", secure=is_tls(request, services),
        path=LINK_PATH,
    )  # fmt: skip


@router.get("/session/link", status_code=303, response_class=RedirectResponse)
async def follow_link(
    request: Request, services: CurrentServices, code: Annotated[str, Query(max_length=500)] = ""
) -> RedirectResponse:
    """Complete a sign-in by link and redirect to the page; `refused=link` for an invalid link."""
    verifier = request.cookies.get(LINK_COOKIE, "")
    response = RedirectResponse("/app", 303)
    try:
        if not code or not verifier:
            raise Denied(LINK_SPENT)
        await _start_session(services, request, response, await services.supabase_sign_in.with_code(code, verifier))
    except Denied:
        response = RedirectResponse("/app?refused=link", 303)
    response.delete_cookie(LINK_COOKIE, path=LINK_PATH)
    return response


@router.post("/session/refresh")
async def refresh(request: Request, response: Response, services: CurrentServices) -> User:
    """Refresh the session with the refresh cookie."""
    _require_own_page(services, request)
    token = request.cookies.get(REFRESH_COOKIE, "")
    if not token:
        raise NotSignedIn("Your sign-in has ended. Sign in again.")
    try:
        tokens = await services.supabase_sign_in.refresh_session(token)
    except Denied as error:
        raise NotSignedIn(error.message) from error
    return await _start_session(services, request, response, tokens)


@router.delete("/session", status_code=204)
async def sign_out(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/")
    response.delete_cookie(REFRESH_COOKIE, path=REFRESH_PATH)


@router.get("/session")
async def who(caller: SignedIn, services: CurrentServices) -> User:
    """Get the signed-in user."""
    return User.model_validate(await whoami(services.store, caller))


def _require_own_page(services: CurrentServices, request: Request) -> None:
    if "origin" in request.headers and not same_origin(request.headers, services.settings.public_url):
        raise Denied("Sign in from this installation's own page.")


async def _sign_in(services: CurrentServices, request: Request, response: Response, token: str) -> User:
    try:
        user_id = await services.user_of_token(token)
    except Denied as error:
        raise NotSignedIn(error.message) from error
    user = User.model_validate(await whoami(services.store, Caller(user_id=user_id)))
    _set_cookie(services, request, response, COOKIE, token, "/", COOKIE_SECONDS)
    return user


async def _start_session(services: CurrentServices, request: Request, response: Response, tokens: SessionTokens) -> User:
    user = await _sign_in(services, request, response, tokens.access)
    _set_cookie(services, request, response, REFRESH_COOKIE, tokens.refresh, REFRESH_PATH, REFRESH_SECONDS)
    return user.model_copy(update={"expires_in": tokens.seconds})


def _set_cookie(
    services: CurrentServices,
    request: Request,
    response: Response,
    name: str,
    value: str,
    path: str,
    seconds: int | None = None,
) -> None:
    response.set_cookie(
        name, value, max_age=seconds, httponly=True, samesite="strict", secure=is_tls(request, services), path=path
    )
