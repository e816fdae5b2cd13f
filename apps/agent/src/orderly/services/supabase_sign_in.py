"""Signing in with e-mail and password through Supabase Auth, and staying signed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from orderly.errors import Denied, Invalid, Misconfigured, StoreUnavailable

WRONG = "E-mail address or password is not right."
ENDED = "Your sign-in has ended. Sign in again."


@dataclass(frozen=True, slots=True)
class SessionTokens:
    """What Supabase Auth hands out: the token that requests carry, and the one that fetches the next."""

    access: str
    refresh: str
    seconds: int
    """How long the access token is valid."""


class SupabaseSignIn:
    def __init__(self, url: str | None, anon_key: str | None, http: httpx.AsyncClient) -> None:
        self._url, self._key, self._http = (url or "").rstrip("/"), anon_key or "", http

    @property
    def available(self) -> bool:
        return bool(self._url and self._key)

    async def with_password(self, email: str, password: str) -> SessionTokens:
        """Raises Denied where the two do not belong together; which of them is wrong is not said."""
        return await self._asked("password", {"email": email, "password": password}, WRONG)

    async def again(self, refresh: str) -> SessionTokens:
        """Raises Denied where the session has ended."""
        return await self._asked("refresh_token", {"refresh_token": refresh}, ENDED)

    async def _asked(self, grant: str, body: dict[str, str], refused: str) -> SessionTokens:
        if not self.available:
            raise Invalid("This installation signs in with a token.")
        try:
            reply = await self._http.post(
                f"{self._url}/auth/v1/token",
                params={"grant_type": grant},
                json=body,
                headers={"apikey": self._key},
                timeout=15,
            )
        except httpx.HTTPError as error:
            raise StoreUnavailable("Sign-in is not possible just now. Try again in a moment.") from error
        if reply.status_code in (400, 401, 403, 422):
            raise Denied(refused)
        if reply.status_code == 429:
            raise StoreUnavailable("Too many attempts to sign in. Wait a minute and try again.")
        if not reply.is_success:
            raise StoreUnavailable("Sign-in is not possible just now. Try again in a moment.")
        return _tokens(reply.json())


def _tokens(body: Any) -> SessionTokens:
    try:
        return SessionTokens(str(body["access_token"]), str(body["refresh_token"]), int(body["expires_in"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Misconfigured("The sign-in service answered in a form that is not Supabase's.") from error
