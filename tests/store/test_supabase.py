"""The Supabase adapter: short-lived tokens and the use of keys."""

from __future__ import annotations

import gc
import json

import jwt
import pytest
from pydantic import SecretStr

from orderly.errors import Denied
from orderly.models import Caller
from orderly.store.supabase import HS256TokenSource, SupabaseStore
from support.postgrest_peer import JWT_SECRET, key_of, serving


@pytest.fixture
async def address(database_url):
    async with serving(database_url) as url:
        yield url


async def test_a_token_has_caller_conversation_and_expiry():
    source = HS256TokenSource(SecretStr(JWT_SECRET), lifetime_s=30, clock=lambda: 2_000_000_000.0)
    token = await source.token_for(Caller("someone", "thread-1"))
    claims = jwt.decode(token, JWT_SECRET, algorithms=["HS256"], audience="authenticated", options={"verify_iat": False})
    assert claims == {
        "sub": "someone", "role": "authenticated", "aud": "authenticated", "thread_id": "thread-1",
        "iat": 2_000_000_000, "exp": 2_000_000_030,
    }  # fmt: skip
    assert "thread_id" not in jwt.decode(
        await source.token_for(Caller("someone")),
        JWT_SECRET,
        algorithms=["HS256"],
        audience="authenticated",
        options={"verify_iat": False},
    )


async def test_an_expired_or_falsely_signed_token_is_denied(address, make_user):
    ada = await make_user("ada@firm.example")
    for tokens in (HS256TokenSource(SecretStr(JWT_SECRET), clock=lambda: 1.0), HS256TokenSource(SecretStr("x" * 40))):
        store = SupabaseStore(address, SecretStr(key_of("anon")), tokens)
        with pytest.raises(Denied):
            await store.rpc(ada, "whoami", {})
        await store.close()


async def test_a_callers_token_is_not_reused(address, make_user):
    ada = await make_user("ada@firm.example")
    made: list[str] = []

    class Recording(HS256TokenSource):
        async def token_for(self, caller: Caller) -> str:
            made.append(await super().token_for(caller))
            return made[-1]

    store = SupabaseStore(address, SecretStr(key_of("anon")), Recording(SecretStr(JWT_SECRET)))
    await store.rpc(ada, "whoami", {})
    gc.collect()
    holders = [r for r in gc.get_referrers(made[0]) if r is not made]
    assert not [h for h in holders if isinstance(h, dict) and "Authorization" in h]
    assert made[0] not in json.dumps({str(k): str(v) for k, v in store._project.http.headers.items()})
    await store.close()


async def test_one_connection_serves_callers_of_different_identity(address, make_user):
    ada, bob = await make_user("ada@firm.example"), await make_user("bob@firm.example")
    store = SupabaseStore(address, SecretStr(key_of("anon")), HS256TokenSource(SecretStr(JWT_SECRET)))
    for caller in (ada, bob, ada):
        assert (await store.rpc(caller, "whoami", {}))["user_id"] == caller.user_id
    await store.close()
