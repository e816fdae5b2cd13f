"""Determines the caller of a run from the identity that this installation sealed.

`langgraph_auth.authenticate` adds `seal(...)` to the run's user. The seal is an HMAC with the installation's secret, so forged
user fields are rejected.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from orderly.errors import Denied
from orderly.models import Caller

USER_KEY = "langgraph_auth_user"
"""Key of the authenticated user in a run's configuration, set by LangGraph servers."""

SEAL_SECONDS = 24 * 3600
"""Lifetime of a seal: longer than any run, short enough to limit the use of a leaked checkpoint."""

EVERY_MATTER = "*"
"""In a seal: the user's work is kept to no matters."""

NOT_SIGNED_IN = "You are not signed in."


def seal(user_id: str, secret: bytes, *, matters: Sequence[str] | None = None, now: float | None = None) -> dict[str, str]:
    """User fields with a seal that `caller_of` accepts. `matters`: ids of the matters that the user's work is kept to."""
    expires = str(int((time.time() if now is None else now) + SEAL_SECONDS))
    kept = EVERY_MATTER if matters is None else ",".join(matters)
    mac = _mac(user_id, expires, kept, secret)
    return {"orderly_user": user_id, "orderly_expires": expires, "orderly_matters": kept, "orderly_seal": mac}


def caller_of(configurable: Mapping[str, Any], secret: bytes, *, local_user: str | None = None) -> Caller:
    """The caller of a run.

    Args:
        configurable: the run's configuration; only user, thread id and run id are read.
        secret: the installation's secret.
        local_user: user id of direct tool calls outside runs; None: direct calls are denied.

    Raises:
        Denied: the user is missing or forged, or the seal has expired.
    """
    user = configurable.get(USER_KEY)
    if user is None:
        if local_user is None or not _outside_any_run(configurable):
            raise Denied(NOT_SIGNED_IN)
        return Caller(user_id=local_user)
    user_id, expires, kept, mac = (_field(user, f"orderly_{name}") for name in ("user", "expires", "matters", "seal"))
    if not hmac.compare_digest(_mac(user_id, expires, kept, secret).encode(), mac.encode()):
        raise Denied(NOT_SIGNED_IN)
    if not expires.isdigit() or int(expires) < time.time():
        raise Denied("Your sign-in has expired. Sign in again and resume.")
    thread, run = configurable.get("thread_id"), configurable.get("run_id")
    return Caller(
        user_id=user_id,
        thread_id=str(thread) if thread else None,
        run_id=str(run) if run else None,
        kept_to=None if kept == EVERY_MATTER else tuple(filter(None, kept.split(","))),
    )


def user_named(config: Mapping[str, Any]) -> str:
    """The user that a run names, for the sharing of capacity. The seal is not checked: nobody gets access by this name."""
    return _field((config.get("configurable") or {}).get(USER_KEY), "orderly_user")


def _outside_any_run(configurable: Mapping[str, Any]) -> bool:
    """Whether the call is a direct `tool.ainvoke(...)`: servers always set a run, thread, graph or assistant."""
    return not any(not key.startswith("__") for key in configurable)


def _field(user: Any, name: str) -> str:
    """A field of the user, which is an object or a mapping, depending on the server. "" if missing."""
    value = getattr(user, name, None)
    if value is None and isinstance(user, Mapping):
        value = user.get(name)
    return value if isinstance(value, str) else ""


@lru_cache(maxsize=1024)
def _mac(user_id: str, expires: str, matters: str, secret: bytes) -> str:
    return hmac.digest(secret, f"{user_id}|{expires}|{matters}".encode(), hashlib.sha256).hex()
