"""Signing in from a page: the token becomes a cookie that scripts cannot read and other sites cannot use."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field, SecretStr

from orderly.api.callers import Held, SignedIn, is_tls, knows_own_page, own_page
from orderly.api.errors import NotSignedIn, answers
from orderly.errors import Denied, Misconfigured
from orderly.models import Caller
from orderly.sign_in.cookies import COOKIE, REFRESH_COOKIE, same_origin
from orderly.sign_in.supabase import LINK_SPENT, SessionTokens
from orderly.store.functions.firm import whoami

router = APIRouter(prefix="/api", tags=["session"], responses=answers(403))

REFRESH_PATH = "/api/session"
LINK_PATH = "/api/session/link"
LINK_COOKIE = "session_link"
LINK_SECONDS = 3600
"""How long a browser can use a link that it asked for; Supabase ends links by its own rules."""
REFRESH_SECONDS = 30 * 24 * 3600
"""How long a browser keeps the refresh token; Supabase ends sessions by its own rules."""


class SignIn(BaseModel):
    token: str = Field(
        min_length=1, max_length=8192, description="A Supabase access token, or one that `orderly user token` issued."
    )


class Password(BaseModel):
    email: str = Field(min_length=3, max_length=320)
    password: SecretStr = Field(min_length=1, max_length=1024)


class Address(BaseModel):
    email: str = Field(min_length=3, max_length=320)


class User(BaseModel):
    user_id: str
    email: str
    display_name: str
    tenant_id: str
    tenant_name: str
    is_admin: bool
    is_conflicts_officer: bool
    expires_in: int | None = Field(default=None, description="Seconds after which the page asks for the next session.")


@router.post("/session")
async def sign_in(body: SignIn, request: Request, response: Response, held: Held) -> User:
    """Exchange a token for the session cookie."""
    _from_own_page(request)
    return await _signed_in(held, request, response, body.token)


@router.post("/session/password", responses=answers(403, 429))
async def sign_in_by_password(body: Password, request: Request, response: Response, held: Held) -> User:
    """Sign in with Supabase Auth, where it is configured; `/api/sign-in` tells."""
    _from_own_page(request)
    try:
        tokens = await held.supabase_sign_in.with_password(body.email, body.password.get_secret_value())
    except Denied as error:
        raise NotSignedIn(error.message) from error
    return await _kept(held, request, response, tokens)


@router.post("/session/link", status_code=202, responses=answers(403))
async def send_link(body: Address, request: Request, response: Response, held: Held) -> None:
    """Have a sign-in link sent by e-mail, where Supabase Auth is configured; it works once, in this browser.

    The answer is the same whether or not there is such a person.
    """
    _from_own_page(request)
    if held.supabase_sign_in.available and not knows_own_page(request, held):
        raise Misconfigured("Links by e-mail need ORDERLY_PUBLIC_URL to be set, the address that they lead to.")
    verifier = secrets.token_urlsafe(48)
    await held.supabase_sign_in.send_link(body.email, verifier, f"{own_page(request, held)}{LINK_PATH}")
    # Lax, not strict: the browser comes back from the e-mail, or from Supabase.
    response.set_cookie(
        LINK_COOKIE, verifier, max_age=LINK_SECONDS, httponly=True, samesite="lax", secure=is_tls(request, held),
        path=LINK_PATH,
    )  # fmt: skip


@router.get("/session/link", status_code=303, response_class=RedirectResponse)
async def follow_link(request: Request, held: Held, code: Annotated[str, Query(max_length=500)] = "") -> RedirectResponse:
    """Where the link leads; then to the page, signed in or told that the link is spent."""
    verifier = request.cookies.get(LINK_COOKIE, "")
    response = RedirectResponse("/app", 303)
    try:
        if not code or not verifier:
            raise Denied(LINK_SPENT)
        await _kept(held, request, response, await held.supabase_sign_in.with_code(code, verifier))
    except Denied:
        response = RedirectResponse("/app?refused=link", 303)
    response.delete_cookie(LINK_COOKIE, path=LINK_PATH)
    return response


@router.post("/session/refresh")
async def refresh(request: Request, response: Response, held: Held) -> User:
    """The next session for the cookie of the last one."""
    _from_own_page(request)
    token = request.cookies.get(REFRESH_COOKIE, "")
    if not token:
        raise NotSignedIn("Your sign-in has ended. Sign in again.")
    try:
        tokens = await held.supabase_sign_in.refresh_session(token)
    except Denied as error:
        raise NotSignedIn(error.message) from error
    return await _kept(held, request, response, tokens)


@router.delete("/session", status_code=204)
async def sign_out(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/")
    response.delete_cookie(REFRESH_COOKIE, path=REFRESH_PATH)


@router.get("/session")
async def who(caller: SignedIn, held: Held) -> User:
    """The signed-in user."""
    return User.model_validate(await whoami(held.store, caller))


def _from_own_page(request: Request) -> None:
    if not same_origin(request.headers) and "origin" in request.headers:
        raise Denied("Sign in from this installation's own page.")


async def _signed_in(held: Held, request: Request, response: Response, token: str) -> User:
    try:
        user_id = await held.user_of_token(token)
    except Denied as error:
        raise NotSignedIn(error.message) from error
    user = User.model_validate(await whoami(held.store, Caller(user_id=user_id)))
    _set(held, request, response, COOKIE, token, "/")
    return user


async def _kept(held: Held, request: Request, response: Response, tokens: SessionTokens) -> User:
    user = await _signed_in(held, request, response, tokens.access)
    _set(held, request, response, REFRESH_COOKIE, tokens.refresh, REFRESH_PATH, REFRESH_SECONDS)
    return user.model_copy(update={"expires_in": tokens.seconds})


def _set(
    held: Held, request: Request, response: Response, name: str, value: str, path: str, seconds: int | None = None
) -> None:
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=is_tls(request, held), path=path)
