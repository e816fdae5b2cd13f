"""Access tokens. The database stores only their SHA-256.

SQL: supabase/schemas/04_firm.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given


class TokenOwner(TypedDict):
    user_id: str
    email: str
    expires_at: str


class IssuedToken(TokenOwner):
    label: str


class SignedIn(TypedDict):
    user_id: str
    email: str


async def authenticate_token(store: Store, token_sha256: str) -> TokenOwner | None:
    """Finds the owner of a token; None when it is unknown, expired or revoked."""
    return await store.rpc(None, "authenticate_token", {"token_sha256": token_sha256})


async def issue_token(
    worker: WorkerCalls, email: str, *, token_sha256: str, expires_at: str, label: str | None = None
) -> IssuedToken:
    """Stores a token for a person.

    `expires_at`: an ISO 8601 time in the future.
    """
    return await worker.rpc(
        "issue_token", {"email": email, "token_sha256": token_sha256, "expires_at": expires_at, **given(label=label)}
    )


async def revoke_tokens(worker: WorkerCalls, email: str) -> int:
    """Revokes all valid tokens of a user, and returns their number."""
    return await worker.rpc("revoke_tokens", {"email": email})


async def sign_in_by_provider(
    worker: WorkerCalls,
    *,
    issuer: str,
    subject: str,
    email: str,
    email_verified: bool,
    display_name: str,
    tenant: str,
    roles: list[str],
    token_sha256: str,
    expires_at: str,
) -> SignedIn | None:
    """Stores a token for a user whom an identity provider signed in, with the provider's roles.

    None: the user has none of the roles "admin", "conflicts_officer" and "member", and all their tokens are revoked.
    """
    return await worker.rpc(
        "sign_in_by_provider",
        {
            "issuer": issuer,
            "subject": subject,
            "email": email,
            "email_verified": email_verified,
            "display_name": display_name,
            "tenant": tenant,
            "roles": roles,
            "token_sha256": token_sha256,
            "expires_at": expires_at,
        },
    )
