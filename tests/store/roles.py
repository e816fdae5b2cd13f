"""Database roles of callers, for tests that run SQL as them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from orderly.models import Caller
from store.conftest import Admin
from support.plain_selects import allow_plain_selects


@contextmanager
def acting_as(admin: Admin, role: str, caller: Caller | None = None) -> Iterator[Admin]:
    """Runs SQL with a role and a caller's claims, where plain selects are allowed; rolls back at exit."""
    with admin.transaction(force_rollback=True):
        allow_plain_selects(admin)
        claims = json.dumps({"sub": caller.user_id, "role": role} if caller else {"role": role})
        admin.execute("select set_config('role', %s, true), set_config('request.jwt.claims', %s, true)", (role, claims))
        yield admin
