"""People and a matter of a test's own, on a server that runs already."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from orderly.settings import Settings
from orderly.sign_in.tokens import new_local_token, token_hash
from orderly.store.functions.firm import create_user
from orderly.store.functions.tokens import issue_token
from orderly.wiring.services import open_operator, open_services
from support.installation import Server
from support.lease import LEASE

READ_SECONDS = 120


def with_own_office(running: Server) -> Server:
    """The same server for a new lawyer, an administrator, who has one matter with the lease, and a new colleague who is no member of it."""
    name = uuid4().hex[:12]
    lawyer, colleague = f"lawyer-{name}@firm.example", f"colleague-{name}@firm.example"
    (_, token), (colleague_id, colleague_token) = _in_a_loop(_people(running.office.installation.home, lawyer, colleague))
    with httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        matter = http.post("/api/matters", json={"title": "High Street"}).raise_for_status().json()
        files = {"file": ("lease.txt", LEASE.encode())}
        sent = http.post(f"/api/matters/{matter['id']}/documents", files=files).raise_for_status().json()
        end = time.monotonic() + READ_SECONDS
        while http.get(f"/api/documents/{sent['id']}").json()["status"] != "ready":
            assert time.monotonic() < end, "the lease is not read"
            time.sleep(0.05)
    office = replace(
        running.office,
        matter=matter["number"],
        matter_id=matter["id"],
        document_id=sent["id"],
        token=token,
        colleague_token=colleague_token,
        colleague_id=colleague_id,
        lawyer=lawyer,
        colleague=colleague,
    )
    return replace(running, office=office)


def _in_a_loop(people: Coroutine[Any, Any, list[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Runs in a thread, since the loop of an asynchronous test may not be replaced."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, people).result()


async def _people(home: Path, *emails: str) -> list[tuple[str, str]]:
    """Creates the people, the first an administrator; returns id and token of each."""
    made = []
    settings = Settings(home=home, _env_file=None)
    async with open_services(settings) as services, open_operator(services) as operator:
        for email in emails:
            user = await create_user(
                operator.worker, email, display_name=email, tenant=settings.firm, is_admin=email == emails[0]
            )
            token = new_local_token()
            expires = (datetime.now(UTC) + timedelta(days=1)).isoformat()
            await issue_token(operator.worker, email, token_sha256=token_hash(token), expires_at=expires, label="")
            made.append((user["user_id"], token))
    return made
