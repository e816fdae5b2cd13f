"""Constructs the checks of tokens; the user of the embedded store."""

from __future__ import annotations

from contextlib import suppress

import httpx

from orderly.errors import Conflict
from orderly.settings import Settings
from orderly.sign_in.supabase import SupabaseSignIn
from orderly.sign_in.tokens import SigningKeys, SupabaseTokens
from orderly.store.base import WorkerStore
from orderly.store.functions.firm import create_tenant, create_user, list_users
from orderly.wiring.stores import OpenStores


def supabase_tokens(settings: Settings, http: httpx.AsyncClient) -> SupabaseTokens:
    url = settings.supabase_jwks_url
    issuer = f"{settings.supabase_url.rstrip('/')}/auth/v1" if settings.supabase_url else None
    return SupabaseTokens(settings.supabase_jwt_secret, SigningKeys(url, http) if url else None, issuer)


def supabase_sign_in(settings: Settings, http: httpx.AsyncClient) -> SupabaseSignIn:
    key = settings.supabase_anon_key
    return SupabaseSignIn(settings.supabase_url, key.get_secret_value() if key else None, http)


async def embedded_user(stores: OpenStores, settings: Settings) -> str | None:
    """Returns the embedded store's user. Creates it and its firm on the first start."""
    if settings.store_kind != "embedded":
        return None
    worker = await stores.worker()
    if (known := await _user_id(worker, settings.local_user)) is None:
        with suppress(Conflict):  # another process created the firm
            await create_tenant(worker, settings.firm)
        with suppress(Conflict):
            await create_user(worker, settings.local_user, display_name="Local user", tenant=settings.firm, is_admin=True)
        known = await _user_id(worker, settings.local_user)
    return known


async def _user_id(worker: WorkerStore, email: str) -> str | None:
    users = await list_users(worker)
    return next((str(u["user_id"]) for u in users if u["email"] == email.lower()), None)
