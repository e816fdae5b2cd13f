"""Sign-in at the firm's identity provider, for the page: there, back, and a session cookie as any other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse

from orderly.api.callers import Held, is_tls, own_page
from orderly.api.errors import NotSignedIn, answers
from orderly.errors import Denied, NotFound
from orderly.sign_in.cookies import COOKIE
from orderly.sign_in.oidc import STATE_SECONDS, OpenIdProvider, begin_trip, resume_trip
from orderly.sign_in.tokens import new_local_token, token_hash
from orderly.store.functions.tokens import sign_in_by_provider
from orderly.wiring.services import open_operator

router = APIRouter(prefix="/api/oidc", tags=["session"], responses=answers(403, 404))

STATE_COOKIE = "oidc_state"
SESSION_HOURS = 12
"""Then the provider is asked again, and what it says of groups counts anew."""


@router.get("/login", status_code=303, response_class=RedirectResponse)
async def login(request: Request, held: Held) -> RedirectResponse:
    """Send the browser to the identity provider."""
    trip = begin_trip(held.secret)
    response = RedirectResponse(await _provider(held).address(trip, _return_address(request, held)), 303)
    # Lax, not strict: the browser comes back from another site.
    response.set_cookie(
        STATE_COOKIE, trip.state, max_age=STATE_SECONDS, httponly=True, samesite="lax", secure=is_tls(request, held),
        path="/api/oidc",
    )  # fmt: skip
    return response


@router.get("/callback", status_code=303, response_class=RedirectResponse)
async def callback(request: Request, held: Held, state: str = "", code: str = "") -> RedirectResponse:
    """Where the provider sends the browser back to."""
    try:
        token = await _signed_in(request, held, state, code)
    except NotSignedIn as error:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        return RedirectResponse(f"/app?refused={'group' if isinstance(error, NotInAGroup) else 'account'}", 303)
    response = RedirectResponse("/app", 303)
    response.delete_cookie(STATE_COOKIE, path="/api/oidc")
    response.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=is_tls(request, held), path="/")
    return response


class NotInAGroup(NotSignedIn):
    """The provider knows them, and the firm has not said that they may use Orderly."""


async def _signed_in(request: Request, held: Held, state: str, code: str) -> str:
    """The token of a new session. Raises NotSignedIn."""
    try:
        trip = resume_trip(state, request.cookies.get(STATE_COOKIE, ""), held.secret)
        who = await _provider(held).identity(code, trip, _return_address(request, held))
    except Denied as error:
        raise NotSignedIn(error.message) from error
    token = new_local_token()
    async with open_operator(held) as operator:
        signed_in = await sign_in_by_provider(
            operator.worker, issuer=who.issuer, subject=who.subject, email=who.email, email_verified=who.email_verified,
            display_name=who.name, tenant=held.settings.firm, roles=list(who.roles), token_sha256=token_hash(token),
            expires_at=(datetime.now(UTC) + timedelta(hours=SESSION_HOURS)).isoformat(),
        )  # fmt: skip
    if signed_in is None:
        raise NotInAGroup("You are not in a group that may use Orderly. Ask your administrator.")
    return token


def _provider(held: Held) -> OpenIdProvider:
    if held.oidc is None:
        raise NotFound("This installation has no identity provider.")
    return held.oidc


def _return_address(request: Request, held: Held) -> str:
    """As it is registered at the provider."""
    return f"{own_page(request, held)}/api/oidc/callback"
