"""Seals the authenticated user into a run, and reads the caller of a run from the seal.

`langgraph_auth` authenticates a request and puts `seal(...)` into the run's user. A client cannot forge user fields, because
the seal is an HMAC with the installation's secret.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from orderly.errors import Denied
from orderly.models import Caller

USER_KEY = "langgraph_auth_user"
"""Key of the authenticated user in a run's configuration, set by LangGraph servers."""

SEAL_SECONDS = 24 * 3600
"""Lifetime of a seal: longer than any run, short enough that a leaked checkpoint gives no lasting access."""

NOT_SIGNED_IN = "You are not signed in."


def seal(user_id: str, secret: bytes, *, now: float | None = None) -> dict[str, str]:
    """The fields of a run's user that `caller_of` accepts."""
    expires = str(int((time.time() if now is None else now) + SEAL_SECONDS))
    return {"orderly_user": user_id, "orderly_expires": expires, "orderly_seal": _mac(user_id, expires, secret)}


def caller_of(configurable: Mapping[str, Any], secret: bytes, *, local_user: str | None = None) -> Caller:
    """Reads the caller of a run.

    Args:
        configurable: the run's configuration; the user, the thread id and the run id are read.
        secret: the installation's secret.
        local_user: user id for a tool called directly, outside a run; None refuses such calls.

    Raises:
        Denied: no user, a forged user, or an expired seal.
    """
    user = configurable.get(USER_KEY)
    if user is None:
        if local_user is None or not _outside_any_run(configurable):
            raise Denied(NOT_SIGNED_IN)
        return Caller(user_id=local_user)
    user_id, expires, mac = (_field(user, f"orderly_{name}") for name in ("user", "expires", "seal"))
    if not hmac.compare_digest(_mac(user_id, expires, secret).encode(), mac.encode()):
        raise Denied(NOT_SIGNED_IN)
    if not expires.isdigit() or int(expires) < time.time():
        raise Denied("Your sign-in has expired. Sign in again and resume.")
    thread, run = configurable.get("thread_id"), configurable.get("run_id")
    return Caller(user_id=user_id, thread_id=str(thread) if thread else None, run_id=str(run) if run else None)


def _outside_any_run(configurable: Mapping[str, Any]) -> bool:
    """Whether no server set keys (run, thread, graph, assistant), as in a plain `tool.ainvoke(...)`."""
    return not any(not key.startswith("__") for key in configurable)


def _field(user: Any, name: str) -> str:
    """Reads a field of the user, which servers pass as an object or a mapping; "" if missing."""
    value = getattr(user, name, None)
    if value is None and isinstance(user, Mapping):
        value = user.get(name)
    return value if isinstance(value, str) else ""


@lru_cache(maxsize=1024)
def _mac(user_id: str, expires: str, secret: bytes) -> str:
    return hmac.digest(secret, f"{user_id}|{expires}".encode(), hashlib.sha256).hex()
