"""A polled thread gives one audit entry per minute, and access is checked at every request."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from langgraph_sdk import Auth

from orderly.models import Caller
from orderly.sign_in import opened_threads
from orderly.sign_in.langgraph_auth import own_thread
from orderly.wiring.services import Services

WALL = "insert into matter_screens (matter_id, user_id, reason) select matter_id, user_id, 'Conflict' from matter_members"
OPENINGS = "select count(*) from audit_log where action = 'open_thread'"


async def test_polling_a_thread_gives_one_audit_entry_and_a_wall_closes_it_at_once(
    services: Services, ada: Caller, matter: dict[str, Any], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = "7d4d3ac0-0000-4000-8000-000000000001"
    await services.store.rpc(ada, "register_thread", {"thread_id": conversation})
    await services.store.rpc(replace(ada, thread_id=conversation), "get_matter", {"matter_ref": matter["id"]})
    ctx: Any = SimpleNamespace(user=SimpleNamespace(identity=ada.user_id))
    with psycopg.connect(database_url, autocommit=True) as admin:

        async def recorded(times: int) -> int:
            for _ in range(times):
                assert await own_thread(ctx, {"thread_id": conversation}) == {"owner": ada.user_id}
            row = admin.execute(OPENINGS).fetchone()
            assert row is not None
            return int(row[0])

        assert await recorded(5) == 1
        monkeypatch.setattr(opened_threads, "OPEN_SECONDS", 0.0)
        assert await recorded(2) == 3, "after the cache expires, each request is a new entry"
        monkeypatch.undo()
        await recorded(1)
        admin.execute(WALL)
        with pytest.raises(Auth.exceptions.HTTPException) as closed:
            await own_thread(ctx, {"thread_id": conversation})
        assert closed.value.status_code == 404
