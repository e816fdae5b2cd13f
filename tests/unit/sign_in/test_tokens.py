from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import jwt
import pytest
import respx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from pydantic import SecretStr

from orderly.errors import Denied, StoreUnavailable
from orderly.sign_in.tokens import JWKS_RETRY_SECONDS, JWKS_SECONDS, JWKS_STALE_SECONDS, SigningKeys, SupabaseTokens

SECRET = SecretStr("the-project's-own-secret-of-forty-characters")
ISSUER = "https://project.supabase.example/auth/v1"
JWKS = "https://project.supabase.example/auth/v1/.well-known/jwks.json"
USER = "3f0c8a52-0000-4000-8000-000000000001"


def claims(**changed: Any) -> dict[str, Any]:
    base = {"sub": USER, "aud": "authenticated", "role": "authenticated", "iss": ISSUER, "exp": time.time() + 600}
    return {**base, **changed}


def hs256(**changed: Any) -> str:
    return jwt.encode(claims(**changed), SECRET.get_secret_value(), algorithm="HS256")


@pytest.fixture
def by_secret() -> SupabaseTokens:
    return SupabaseTokens(SECRET, None, ISSUER)


async def test_a_valid_token_gives_its_user(by_secret: SupabaseTokens) -> None:
    assert await by_secret.user(hs256()) == USER


@pytest.mark.parametrize(
    "changed",
    [
        {"exp": time.time() - 3600},
        {"aud": "anon"},
        {"iss": "https://elsewhere.example"},
        {"role": "service_role"},
        {"role": "anon"},
        {"role": None},
    ],
)
async def test_a_token_with_wrong_time_issuer_audience_or_role_is_refused(
    by_secret: SupabaseTokens, changed: dict[str, Any]
) -> None:
    with pytest.raises(Denied):
        await by_secret.user(hs256(**changed))


@pytest.mark.parametrize("missing", ["exp", "sub", "aud", "iss"])
async def test_a_token_without_a_required_claim_is_refused(by_secret: SupabaseTokens, missing: str) -> None:
    kept = {name: value for name, value in claims().items() if name != missing}
    with pytest.raises(Denied):
        await by_secret.user(jwt.encode(kept, SECRET.get_secret_value(), algorithm="HS256"))


async def test_a_small_clock_skew_is_accepted(by_secret: SupabaseTokens) -> None:
    assert await by_secret.user(hs256(exp=time.time() - 5)) == USER


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "ord_nothing"])
async def test_a_malformed_token_is_refused(by_secret: SupabaseTokens, token: str) -> None:
    with pytest.raises(Denied):
        await by_secret.user(token)


async def test_an_unsigned_token_is_refused(by_secret: SupabaseTokens) -> None:
    with pytest.raises(Denied):
        await by_secret.user(jwt.encode(claims(), None, algorithm="none"))


class KeyServer:
    def __init__(self) -> None:
        self.rsa = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.ec = ec.generate_private_key(ec.SECP256R1())
        self.published = [self.jwk("first", self.rsa, "RS256"), self.jwk("second", self.ec, "ES256")]

    @staticmethod
    def jwk(key_id: str, key: Any, algorithm: str) -> dict[str, Any]:
        to_jwk = (jwt.algorithms.RSAAlgorithm if algorithm == "RS256" else jwt.algorithms.ECAlgorithm).to_jwk
        return {**json.loads(to_jwk(key.public_key())), "kid": key_id, "alg": algorithm, "use": "sig"}


@pytest.fixture(scope="module")
def keys() -> KeyServer:
    return KeyServer()


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as client:
        yield client


@respx.mock
@pytest.mark.parametrize(("key_id", "algorithm"), [("first", "RS256"), ("second", "ES256")])
async def test_tokens_signed_with_a_published_key_are_accepted(
    keys: KeyServer, http: httpx.AsyncClient, key_id: str, algorithm: str
) -> None:
    route = respx.get(JWKS).respond(json={"keys": keys.published})
    tokens = SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER)
    signed = jwt.encode(claims(), keys.rsa if key_id == "first" else keys.ec, algorithm=algorithm, headers={"kid": key_id})
    assert await tokens.user(signed) == USER
    assert await tokens.user(signed) == USER
    assert route.call_count == 1


@respx.mock
async def test_an_unknown_key_is_refused_and_the_key_server_asked_once(keys: KeyServer, http: httpx.AsyncClient) -> None:
    route = respx.get(JWKS).respond(json={"keys": keys.published})
    tokens = SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER)
    for n in range(3):
        forged = jwt.encode(claims(), keys.rsa, algorithm="RS256", headers={"kid": f"made up {n}"})
        with pytest.raises(Denied):
            await tokens.user(forged)
    assert route.call_count == 1


@respx.mock
async def test_cached_keys_are_used_while_the_key_server_is_down_and_requests_to_it_are_limited(
    keys: KeyServer, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    route = respx.get(JWKS).respond(json={"keys": keys.published})
    tokens = SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER)
    signed = jwt.encode(claims(), keys.rsa, algorithm="RS256", headers={"kid": "first"})
    assert await tokens.user(signed) == USER
    route.respond(503)
    later = time.monotonic() + 3600
    monkeypatch.setattr(time, "monotonic", lambda: later)
    for _ in range(3):
        assert await tokens.user(signed) == USER
    assert route.call_count == 2


class Clock:
    """Replaces `time.monotonic` with a settable clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def signed_by(keys: KeyServer, key_id: str, algorithm: str = "RS256", **changed: Any) -> str:
    """Returns a token signed with the key of `algorithm` and labelled `key_id`."""
    return jwt.encode(claims(**changed), keys.rsa if algorithm == "RS256" else keys.ec, algorithm, headers={"kid": key_id})


@respx.mock
async def test_a_new_key_is_fetched_when_a_token_names_it_and_a_withdrawn_one_is_refused(
    keys: KeyServer, http: httpx.AsyncClient, clock: Clock
) -> None:
    first, second = keys.published
    route = respx.get(JWKS).respond(json={"keys": [first]})
    tokens = SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER)
    assert await tokens.user(signed_by(keys, "first")) == USER
    route.respond(json={"keys": [first, second]})
    clock.now += JWKS_RETRY_SECONDS + 1
    assert await tokens.user(signed_by(keys, "second", "ES256")) == USER, "an unknown key id must refresh the keys at once"
    assert await tokens.user(signed_by(keys, "first")) == USER, "both keys are valid during a rotation"
    route.respond(json={"keys": [second]})
    clock.now += JWKS_SECONDS + 1
    with pytest.raises(Denied):
        await tokens.user(signed_by(keys, "first"))
    assert await tokens.user(signed_by(keys, "second", "ES256")) == USER


@respx.mock
async def test_cached_keys_expire_when_the_key_server_stays_unreachable(
    keys: KeyServer, http: httpx.AsyncClient, clock: Clock
) -> None:
    route = respx.get(JWKS).respond(json={"keys": keys.published})
    tokens = SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER)
    assert await tokens.user(signed_by(keys, "first")) == USER
    route.respond(503)
    clock.now += JWKS_STALE_SECONDS - 1
    assert await tokens.user(signed_by(keys, "first")) == USER
    clock.now += 2
    with pytest.raises(StoreUnavailable):
        await tokens.user(signed_by(keys, "first"))


@respx.mock
@pytest.mark.parametrize(
    "changed",
    [
        {"exp": time.time() - 3600},
        {"nbf": time.time() + 3600},
        {"iat": time.time() + 3600},
        {"aud": "anon"},
        {"aud": ["anon", "others"]},
        {"iss": "https://elsewhere.example"},
        {"iss": ""},
        {"role": "service_role"},
        {"sub": 7},
    ],
    ids="-".join,
)
async def test_a_token_signed_with_a_published_key_needs_valid_time_issuer_audience_and_role(
    keys: KeyServer, http: httpx.AsyncClient, changed: dict[str, Any]
) -> None:
    respx.get(JWKS).respond(json={"keys": keys.published})
    tokens = SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER)
    assert await tokens.user(signed_by(keys, "first", nbf=time.time() + 5, iat=time.time() + 5)) == USER
    with pytest.raises(Denied):
        await tokens.user(signed_by(keys, "first", **changed))


@respx.mock
async def test_a_key_verifies_only_its_own_algorithm_and_a_token_without_a_key_id_is_refused(
    keys: KeyServer, http: httpx.AsyncClient
) -> None:
    respx.get(JWKS).respond(json={"keys": keys.published})
    tokens = SupabaseTokens(SECRET, SigningKeys(JWKS, http), ISSUER)
    for forged in (
        signed_by(keys, "second", "RS256"),
        signed_by(keys, "first", "ES256"),
        jwt.encode(claims(), keys.rsa, "RS256"),
        jwt.encode(claims(), keys.rsa, "RS512", headers={"kid": "first"}),
        jwt.encode(claims(), keys.rsa, "PS256", headers={"kid": "first"}),
        jwt.encode(claims(), "a guessed secret of forty characters or so", "HS256"),
    ):
        with pytest.raises(Denied):
            await tokens.user(forged)


async def test_an_hs256_token_is_refused_when_no_secret_is_configured(keys: KeyServer, http: httpx.AsyncClient) -> None:
    with pytest.raises(Denied):
        await SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER).user(hs256())


@respx.mock
async def test_a_public_key_is_not_accepted_as_an_hmac_secret(keys: KeyServer, http: httpx.AsyncClient) -> None:
    respx.get(JWKS).respond(json={"keys": keys.published})
    public = keys.rsa.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    header, payload, _ = jwt.encode(claims(), "k" * 32, algorithm="HS256", headers={"kid": "first"}).split(".")
    signature = hmac.new(public, f"{header}.{payload}".encode(), hashlib.sha256).digest()
    confused = f"{header}.{payload}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
    for tokens in (
        SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER),
        SupabaseTokens(SECRET, SigningKeys(JWKS, http), ISSUER),
    ):
        with pytest.raises(Denied):
            await tokens.user(confused)


@respx.mock
async def test_an_unreachable_key_server_is_an_error_and_not_a_refused_token(keys: KeyServer, http: httpx.AsyncClient) -> None:
    respx.get(JWKS).respond(503)
    tokens = SupabaseTokens(None, SigningKeys(JWKS, http), ISSUER)
    with pytest.raises(StoreUnavailable):
        await tokens.user(jwt.encode(claims(), keys.rsa, algorithm="RS256", headers={"kid": "first"}))
