"""The server's background work goes on after errors that nobody foresaw."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from integration.doors.conftest import wait_until_read
from orderly.api import background
from orderly.jobs import Worker, restarts
from orderly.services.ingestion import Uploads
from support.lease import LEASE

FAILING = (
    (background, "_set_limits"),
    (background, "state_of_queue"),
    (Worker, "_run_queue"),
    (Worker, "_rescue_once"),
    (Uploads, "sweep"),
)


@pytest.fixture
def failed(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each piece of the work was begun; the first time it fails. Request this fixture before the server's."""
    begun: dict[str, int] = {}
    monkeypatch.setattr(restarts, "RETRY_SECONDS", 0.05)
    for place, name in FAILING:
        work = getattr(place, name)

        def fail_once(*given: Any, _name: str = name, _work: Any = work, **named: Any) -> Any:
            begun[_name] = begun.get(_name, 0) + 1
            if begun[_name] == 1:
                raise OSError(f"nobody foresaw this of {_name}")
            return _work(*given, **named)

        monkeypatch.setattr(place, name, fail_once)
    return begun


async def test_work_that_fails_is_logged_with_its_traceback_and_starts_again(
    failed: dict[str, int], http: httpx.AsyncClient, matter: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    sent = await http.post(f"/api/matters/{matter['id']}/documents", files={"file": ("lease.txt", LEASE.encode())})
    assert (await wait_until_read(http, sent.json()["id"]))["status"] == "ready"
    async with asyncio.timeout(10):
        while {name for name, times in failed.items() if times > 1} != {name for _, name in FAILING}:
            await asyncio.sleep(0.05)
    logged = [str(record.exc_info and record.exc_info[1]) for when in ("setup", "call") for record in caplog.get_records(when)]
    assert {f"nobody foresaw this of {name}" for _, name in FAILING} <= set(logged)
