"""Verifies bearer tokens: tokens issued by this installation, or JSON web tokens of Supabase Auth."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from typing import Any

import httpx
import jwt
from pydantic import SecretStr

from orderly.errors import Denied, StoreUnavailable
from orderly.store.base import Store
from orderly.store.functions.tokens import authenticate_token

LOCAL_PREFIX = "ord_"
AUDIENCE = "authenticated"
CLOCK_SKEW_SECONDS = 30
JWKS_SECONDS = 600
"""Cache lifetime of the signing keys."""

JWKS_STALE_SECONDS = 24 * 3600
"""Cache lifetime while the key server is unreachable, so that withdrawn keys expire."""

JWKS_RETRY_SECONDS = 30
"""Minimum time between fetches, so that invented key ids cannot flood the key server."""

ASYMMETRIC = ("RS256", "ES256")
UNREACHABLE = "The signing keys cannot be fetched just now."
INVALID = "The token is not valid. Sign in again."


def new_local_token() -> str:
    """A token with 256 random bits. Only its hash is stored, so it can be shown only once."""
    return LOCAL_PREFIX + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def local_user(store: Store, token: str) -> str:
    """User id of a token. Raises Denied for an unknown, expired or revoked token, without saying which."""
    row = await authenticate_token(store, token_hash(token))
    if not row:
        raise Denied(INVALID)
    return str(row["user_id"])


class SigningKeys:
    """Cache of the project's public signing keys."""

    def __init__(self, url: str, client: httpx.AsyncClient) -> None:
        self._url, self._client = url, client
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched = self._attempted = float("-inf")
        self._fetching = asyncio.Lock()

    async def key(self, key_id: str) -> jwt.PyJWK:
        async with self._fetching:
            if self._due(key_id):
                await self._fetch(key_id)
            if time.monotonic() - self._fetched > JWKS_STALE_SECONDS:
                raise StoreUnavailable(UNREACHABLE)
        if key_id not in self._keys:
            raise Denied(INVALID)
        return self._keys[key_id]

    def _due(self, key_id: str) -> bool:
        now = time.monotonic()
        needed = key_id not in self._keys or now - self._fetched > JWKS_SECONDS
        return needed and now - self._attempted > JWKS_RETRY_SECONDS

    async def _fetch(self, key_id: str) -> None:
        """Fetches the keys. If the key server is down, a cached key stays valid; else raises StoreUnavailable."""
        self._attempted = time.monotonic()
        try:
            reply = await self._client.get(self._url, timeout=10)
            reply.raise_for_status()
            keys = jwt.PyJWKSet.from_dict(reply.json())
        except (httpx.HTTPError, jwt.PyJWTError, ValueError) as error:
            if key_id in self._keys:
                return
            raise StoreUnavailable(UNREACHABLE) from error
        self._keys = {key.key_id: key for key in keys.keys if key.key_id}
        self._fetched = time.monotonic()


class SupabaseTokens:
    """Verifies JSON web tokens with the HS256 secret or the project's public keys.

    The token's algorithm must be configured. An HS256 token is verified only with the secret, which prevents algorithm
    confusion with a public key.
    """

    def __init__(self, secret: SecretStr | None, keys: SigningKeys | None, issuer: str | None) -> None:
        self._secret, self._keys, self._issuer = secret, keys, issuer

    async def user(self, token: str) -> str:
        """User id of a token. Raises Denied unless the token is a valid, current token of a signed-in user."""
        try:
            header = jwt.get_unverified_header(token)
            claims = await self._claims(token, header)
        except jwt.ExpiredSignatureError as error:
            raise Denied("Your sign-in has expired. Sign in again and resume.") from error
        except jwt.PyJWTError as error:
            raise Denied(INVALID) from error
        if claims.get("role") != AUDIENCE:
            raise Denied(INVALID)
        return str(claims["sub"])

    async def _claims(self, token: str, header: dict[str, Any]) -> dict[str, Any]:
        algorithm = header.get("alg")
        key: Any
        if algorithm == "HS256" and self._secret is not None:
            key = self._secret.get_secret_value()
        elif algorithm in ASYMMETRIC and self._keys is not None:
            key = await self._keys.key(str(header.get("kid")))
        else:
            raise Denied(INVALID)
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=AUDIENCE,
            issuer=self._issuer,
            leeway=CLOCK_SKEW_SECONDS,
            options={"require": ["exp", "sub"]},
        )
        return claims
