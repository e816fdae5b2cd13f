"""Access tokens. The database stores only their SHA-256.

SQL: supabase/schemas/04_firm.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given
from orderly.store.functions.firm import User


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
    """Stores a token for a person. Raises Conflict for a user whose access is revoked.

    `expires_at`: an ISO 8601 time in the future.
    """
    return await worker.rpc(
        "issue_token", {"email": email, "token_sha256": token_sha256, "expires_at": expires_at, **given(label=label)}
    )


async def revoke_user(worker: WorkerCalls, email: str) -> int:
    """Ends a user's access at once, however they signed in. Returns the number of tokens that were valid."""
    return await worker.rpc("revoke_user", {"email": email})


async def reinstate_user(worker: WorkerCalls, email: str) -> User:
    """Ends a revocation. The user needs a new token; memberships and roles are as before. Raises Conflict if not revoked."""
    return await worker.rpc("reinstate_user", {"email": email})


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

    None: the user has none of the roles "admin", "conflicts_officer" and "member", and their tokens of earlier sign-ins by the
    provider are revoked. Raises Denied for an address that is not verified or another subject's, and for a revoked user.
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
