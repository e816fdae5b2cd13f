"""`orderly user revoke`: what a user holds, or signs in with, opens nothing from the next statement on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from orderly.agent.tools import get_document_text
from orderly.errors import Conflict, Denied
from orderly.models import Caller
from orderly.store.functions.firm import whoami
from orderly.store.functions.tokens import reinstate_user, revoke_user
from orderly.wiring.services import Operator, Services

WORDS = "The rent is due on Monday."


async def test_a_revoked_user_reads_nothing_by_token_link_sealed_run_or_claims(
    services: Services,
    operator: Operator,
    http: httpx.AsyncClient,
    ada: Caller,
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
) -> None:
    document = await add_file("lease.txt", WORDS)
    link = (await http.post(f"/api/documents/{document}/link")).json()["url"]

    async def by_run() -> str:
        call = {"type": "tool_call", "name": "get_document_text", "args": {"document_id": document}, "id": "1"}
        return str((await get_document_text.ainvoke(call, acting(ada))).text)

    async def by_link() -> httpx.Response:
        return await http.get(link, headers={"Authorization": ""})

    assert (await by_link()).text == WORDS and WORDS in await by_run()
    assert await revoke_user(operator.worker, "ada@firm.example") == 1
    assert (await http.get("/api/matters")).status_code == 401
    assert (await by_link()).status_code == 404
    assert "Sign in" in await by_run()
    with pytest.raises(Denied):  # also with claims of Supabase Auth, which stay valid
        await whoami(services.store, ada)
    late = {"email": "ada@firm.example", "token_sha256": "a" * 64, "expires_at": "2999-01-01T00:00:00Z"}
    with pytest.raises(Conflict, match="revoked"):
        await operator.worker.rpc("issue_token", late)
    [listed] = await operator.worker.rpc("list_users", {})
    assert listed["revoked_at"]

    await reinstate_user(operator.worker, "ada@firm.example")
    assert (await by_link()).text == WORDS and WORDS in await by_run()
    assert (await http.get("/api/matters")).status_code == 401, "tokens stay void"
    await operator.worker.rpc("issue_token", late)
    with pytest.raises(Conflict, match="not revoked"):
        await reinstate_user(operator.worker, "ada@firm.example")
