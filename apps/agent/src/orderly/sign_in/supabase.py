"""Sign-in with Supabase Auth by password or e-mail link, and token refresh."""

from __future__ import annotations

import base64
import hashlib
import logging
from dataclasses import dataclass
from typing import Any

import httpx

from orderly.errors import Denied, Invalid, Misconfigured, StoreUnavailable

WRONG = "E-mail address or password is not right."
ENDED = "Your sign-in has ended. Sign in again."
LINK_SPENT = "The link has expired, was used before, or was asked for in another browser. Ask for a new one."
NO_LINKS = "Supabase Auth refuses to send links. Tell who runs this installation; the log says more."
UNREACHABLE = "Sign-in is not possible just now. Try again in a moment."

_UNKNOWN_ADDRESS = frozenset({"otp_disabled", "user_not_found", "signup_disabled"})
"""Error codes for an unknown e-mail address: links do not create users."""
_RATE_LIMITED = "over_email_send_rate_limit"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionTokens:
    """Access and refresh token of Supabase Auth."""

    access: str
    refresh: str
    seconds: int
    """Lifetime of the access token."""


class SupabaseSignIn:
    def __init__(self, url: str | None, anon_key: str | None, http: httpx.AsyncClient) -> None:
        self._url, self._key, self._http = (url or "").rstrip("/"), anon_key or "", http

    @property
    def available(self) -> bool:
        return bool(self._url and self._key)

    async def with_password(self, email: str, password: str) -> SessionTokens:
        """Raises Denied if e-mail address or password is wrong, without saying which."""
        return await self._request_tokens("password", {"email": email, "password": password}, WRONG)

    async def refresh_session(self, refresh: str) -> SessionTokens:
        """Raises Denied if the session has ended."""
        return await self._request_tokens("refresh_token", {"refresh_token": refresh}, ENDED)

    async def send_link(self, email: str, verifier: str, return_to: str) -> None:
        """Sends a link that redirects to `return_to` with a code, which only `verifier` can exchange (PKCE, RFC 7636).

        Creates no user. Returns normally for unknown addresses and for rate-limited ones, so that addresses cannot be probed.
        """
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        body = {"email": email, "create_user": False, "code_challenge": challenge, "code_challenge_method": "s256"}
        reply = await self._post("otp", {"redirect_to": return_to}, body)
        code = _error_code(reply)
        if reply.is_success or (reply.status_code == 422 and code in _UNKNOWN_ADDRESS):
            return
        if reply.status_code == 429 and code == _RATE_LIMITED:
            _log.warning("Supabase Auth sent no link: rate limit reached (%s).", code)
            return
        if reply.status_code == 400 and code == "validation_failed":
            raise Invalid("This is not an e-mail address.")
        _log.error("Supabase Auth sent no link: status %d, error code %r.", reply.status_code, code)
        _require_available(reply)
        raise Misconfigured(NO_LINKS)

    async def with_code(self, code: str, verifier: str) -> SessionTokens:
        """Raises Denied if the code has expired or does not match the verifier."""
        return await self._request_tokens("pkce", {"auth_code": code, "code_verifier": verifier}, LINK_SPENT)

    async def _request_tokens(self, grant: str, body: dict[str, str], refused: str) -> SessionTokens:
        reply = await self._post("token", {"grant_type": grant}, body)
        if reply.status_code in (400, 401, 403, 404, 422):
            raise Denied(refused)
        _require_available(reply)
        if not reply.is_success:
            raise StoreUnavailable(UNREACHABLE)
        return _tokens(reply.json())

    async def _post(self, route: str, params: dict[str, str], body: dict[str, Any]) -> httpx.Response:
        if not self.available:
            raise Invalid("This installation signs in with a token.")
        try:
            address, headers = f"{self._url}/auth/v1/{route}", {"apikey": self._key}
            return await self._http.post(address, params=params, json=body, headers=headers, timeout=15)
        except httpx.HTTPError as error:
            raise StoreUnavailable(UNREACHABLE) from error


def _require_available(reply: httpx.Response) -> None:
    if reply.status_code == 429:
        raise StoreUnavailable("Too many attempts to sign in. Wait a minute and try again.")
    if reply.status_code >= 500:
        raise StoreUnavailable(UNREACHABLE)


def _error_code(reply: httpx.Response) -> str:
    """Supabase's error code, "" if there is none."""
    try:
        body = reply.json()
    except ValueError:
        return ""
    return str(body.get("error_code") or "")[:80] if isinstance(body, dict) else ""


def _tokens(body: Any) -> SessionTokens:
    try:
        return SessionTokens(str(body["access_token"]), str(body["refresh_token"]), int(body["expires_in"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Misconfigured("The sign-in service answered in a form that is not Supabase's.") from error
