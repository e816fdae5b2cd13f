"""The Supabase adapter: calls the SQL functions through PostgREST with supabase-py."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

import httpx
import jwt
from postgrest.exceptions import APIError
from pydantic import SecretStr
from supabase import AsyncClient, AsyncClientOptions

from orderly.errors import Denied, OrderlyError, StoreUnavailable
from orderly.models import Caller, RevisionContent
from orderly.store.base import Json, claims_of
from orderly.store.revision_batches import publish_in_batches
from orderly.store.sqlstates import UNAVAILABLE, SqlFailure, domain_error

_GATEWAY_STATUS = re.compile(r"408|429|5\d\d")

POSTGREST_CODES: Mapping[str, OrderlyError] = {
    "PGRST000": StoreUnavailable(UNAVAILABLE),
    "PGRST001": StoreUnavailable(UNAVAILABLE),
    "PGRST002": StoreUnavailable(UNAVAILABLE),
    "PGRST003": StoreUnavailable(UNAVAILABLE),
    "PGRST300": StoreUnavailable(UNAVAILABLE),
    "PGRST301": Denied("The sign-in has expired. Sign in again."),
    "PGRST302": Denied("Sign in first."),
    "PGRST303": Denied("The sign-in has expired. Sign in again."),
    "401": Denied("Sign in first."),
    "403": Denied("You may not do this."),
}


def translate(exc: APIError) -> OrderlyError | None:
    """Converts an error of PostgREST; None for a bug, such as an unknown function."""
    code = str(exc.code or "")
    if code in POSTGREST_CODES:
        known = POSTGREST_CODES[code]
        return type(known)(known.message)
    if _GATEWAY_STATUS.fullmatch(code):
        return StoreUnavailable(UNAVAILABLE)
    return domain_error(SqlFailure(code, exc.message or "", str(exc.details or ""), exc.hint or ""))


@contextmanager
def translated_errors() -> Iterator[None]:
    try:
        yield
    except httpx.HTTPError as exc:
        raise StoreUnavailable(UNAVAILABLE) from exc
    except APIError as exc:
        error = translate(exc)
        if error is None:
            raise
        raise error from exc


class TokenSource(Protocol):
    async def token_for(self, caller: Caller) -> str:
        """Creates a short-lived JWT with the claims of the caller and the role "authenticated"."""
        ...


class HS256TokenSource:
    """Signs tokens with the project's JWT secret (SUPABASE_JWT_SECRET). Each token is used for one request."""

    def __init__(self, secret: SecretStr, *, lifetime_s: int = 60, clock: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._lifetime_s = lifetime_s
        self._clock = clock

    async def token_for(self, caller: Caller) -> str:
        now = int(self._clock())
        claims: dict[str, object] = {
            **claims_of(caller),
            "role": "authenticated",
            "aud": "authenticated",
            "iat": now,
            "exp": now + self._lifetime_s,
        }
        return jwt.encode(claims, self._secret.get_secret_value(), algorithm="HS256")


class SupabaseProject:
    """Creates clients for a project, which share one httpx client."""

    def __init__(self, url: str, key: SecretStr, *, http: httpx.AsyncClient | None = None, timeout: float = 60.0) -> None:
        self._url = url
        self._key = key
        self.http = http or httpx.AsyncClient(timeout=timeout, http2=False)

    def client(self, token: str | None = None) -> AsyncClient:
        """Creates a client for one call, so that no token outlives its call. `token` None: uses the key."""
        key = self._key.get_secret_value()
        options = AsyncClientOptions(
            headers={"Authorization": f"Bearer {token or key}"},
            httpx_client=self.http,
            auto_refresh_token=False,
            persist_session=False,
            # A retried call would be recorded, and possibly executed, twice.
            postgrest_client_retry=False,
        )
        return AsyncClient(self._url, key, options)

    async def rpc(self, token: str | None, function: str, params: Mapping[str, Json]) -> Json:
        with translated_errors():
            response = await self.client(token).rpc(function, dict(params)).execute()
        return response.data

    async def close(self) -> None:
        await self.http.aclose()


class SupabaseStore:
    """Implements `store.base.Store` with the anonymous key and a token per call."""

    def __init__(self, url: str, anon_key: SecretStr, tokens: TokenSource, *, http: httpx.AsyncClient | None = None) -> None:
        self._project = SupabaseProject(url, anon_key, http=http)
        self._tokens = tokens

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        token = None if caller is None else await self._tokens.token_for(caller)
        return await self._project.rpc(token, function, params)

    async def close(self) -> None:
        await self._project.close()


class SupabaseWorkerStore:
    """Implements `store.base.WorkerStore` with the service key."""

    def __init__(self, url: str, service_key: SecretStr, *, http: httpx.AsyncClient | None = None) -> None:
        self._project = SupabaseProject(url, service_key, http=http)

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        return await self._project.rpc(None, function, params)

    async def publish(self, content: RevisionContent, claim: int) -> None:
        await publish_in_batches(self, content, claim)

    async def close(self) -> None:
        await self._project.close()
