"""Sign-in of the page through the firm's identity provider (OpenID Connect): redirect, callback, session cookie."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse

from orderly.api.callers import CurrentServices, is_tls, public_address
from orderly.api.errors import NotSignedIn, error_responses
from orderly.errors import Denied, NotFound
from orderly.sign_in.cookies import COOKIE
from orderly.sign_in.oidc import STATE_SECONDS, OpenIdProvider, new_authorization_request, resume_authorization_request
from orderly.sign_in.tokens import new_local_token, token_hash
from orderly.store.functions.tokens import sign_in_by_provider
from orderly.wiring.services import open_operator

router = APIRouter(prefix="/api/oidc", tags=["session"], responses=error_responses(403, 404))

STATE_COOKIE = "oidc_state"
SESSION_HOURS = 12
"""After this time the user signs in at the provider again, which updates the groups."""


@router.get("/login", status_code=303, response_class=RedirectResponse)
async def login(request: Request, services: CurrentServices) -> RedirectResponse:
    """Send the browser to the identity provider."""
    authorization = new_authorization_request(services.secret)
    response = RedirectResponse(await _provider(services).address(authorization, _return_address(request, services)), 303)
    # Lax, not strict: the provider's site redirects the browser back.
    response.set_cookie(
        STATE_COOKIE, authorization.state, max_age=STATE_SECONDS, httponly=True, samesite="lax",
        secure=is_tls(request, services), path="/api/oidc",
    )  # fmt: skip
    return response


@router.get("/callback", status_code=303, response_class=RedirectResponse)
async def callback(request: Request, services: CurrentServices, state: str = "", code: str = "") -> RedirectResponse:
    """Complete the sign-in after the provider redirected the browser back."""
    try:
        token = await _create_session(request, services, state, code)
    except Denied as error:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        return RedirectResponse(f"/app?refused={'group' if isinstance(error, NotInAGroup) else 'account'}", 303)
    response = RedirectResponse("/app", 303)
    response.delete_cookie(STATE_COOKIE, path="/api/oidc")
    response.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=is_tls(request, services), path="/")
    return response


class NotInAGroup(NotSignedIn):
    """The provider authenticated the user, who is in none of the groups of ORDERLY_OIDC_ROLES."""


async def _create_session(request: Request, services: CurrentServices, state: str, code: str) -> str:
    """Creates a session and returns its token. Raises NotSignedIn."""
    try:
        authorization = resume_authorization_request(state, request.cookies.get(STATE_COOKIE, ""), services.secret)
        identity = await _provider(services).identity(code, authorization, _return_address(request, services))
    except Denied as error:
        raise NotSignedIn(error.message) from error
    token = new_local_token()
    async with open_operator(services) as operator:
        signed_in = await sign_in_by_provider(
            operator.worker, issuer=identity.issuer, subject=identity.subject, email=identity.email,
            email_verified=identity.email_verified, display_name=identity.name, tenant=services.settings.firm,
            roles=list(identity.roles), token_sha256=token_hash(token),
            expires_at=(datetime.now(UTC) + timedelta(hours=SESSION_HOURS)).isoformat(),
        )  # fmt: skip
    if signed_in is None:
        raise NotInAGroup("You are not in a group that may use Orderly. Ask your administrator.")
    return token


def _provider(services: CurrentServices) -> OpenIdProvider:
    if services.oidc is None:
        raise NotFound("This installation has no identity provider.")
    return services.oidc


def _return_address(request: Request, services: CurrentServices) -> str:
    """The redirect URI registered with the provider."""
    return f"{public_address(request, services)}/api/oidc/callback"
