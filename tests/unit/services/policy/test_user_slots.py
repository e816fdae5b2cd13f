from __future__ import annotations

import asyncio

import pytest

from orderly.errors import TooBusy
from orderly.services.policy import UserSlots


async def test_one_user_waits_for_itself_and_never_for_others_or_by_others() -> None:
    slots = UserSlots(2, 3, "runs")
    release = asyncio.Event()
    begun: list[str] = []

    async def call(user: str) -> None:
        async with slots.slot(user):
            begun.append(user)
            await release.wait()

    calls = [asyncio.create_task(call("busy")) for _ in range(5)]
    await asyncio.sleep(0)
    assert begun == ["busy", "busy"]
    with pytest.raises(TooBusy, match="5 runs"):
        await call("busy")
    other = asyncio.create_task(call("other"))
    await asyncio.sleep(0)
    assert begun[-1] == "other"
    calls[4].cancel()
    release.set()
    await asyncio.gather(*calls, other, return_exceptions=True)
    assert begun.count("busy") == 4
    release.set()
    await call("busy")


async def test_a_slot_that_ends_early_is_the_next_callers() -> None:
    slots = UserSlots(1, 1, "requests")
    async with slots.slot("busy") as end:
        second = slots.slot("busy")
        waiting = asyncio.create_task(second.__aenter__())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        end()
        end()
        await asyncio.wait_for(waiting, 1)
        with pytest.raises(TooBusy):
            async with slots.slot("busy"):
                pass
        await second.__aexit__(None, None, None)
