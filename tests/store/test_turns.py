"""Documents are read in turns of firms, people and sizes."""

from __future__ import annotations

import pytest

from orderly.models import Caller
from orderly.store.base import Store, WorkerStore
from orderly.store.functions.ingestion import ClaimedDocument, claim_next, set_document_status
from support.revisions import register_text


async def taken(worker: WorkerStore, *, for_others: bool = False) -> ClaimedDocument | None:
    return await claim_next(worker, lease_seconds=30, max_attempts=5, for_others=for_others)


async def name_of_next(worker: WorkerStore, *, for_others: bool = False) -> str | None:
    """Takes the next document, and ends its reading at once."""
    found = await taken(worker, for_others=for_others)
    if found is None:
        return None
    await set_document_status(worker, found["id"], claim=found["claim"], status="failed", reason="test")
    return found["filename"]


@pytest.fixture
async def ada(make_user) -> Caller:
    return await make_user("ada@firm.example")


@pytest.fixture
async def files(store: Store, ada: Caller, make_user, make_matter):
    """Twenty files of Ada's, then files of a colleague and of another firm."""
    ben, cleo = await make_user("ben@firm.example"), await make_user("cleo@other.example", tenant="Other")
    mine, theirs, others = [await make_matter(person) for person in (ada, ben, cleo)]
    for number in range(20):
        await register_text(store, ada, mine["id"], f"ada-{number:02}.txt", "x" * (200 - number))
    await register_text(store, ben, theirs["id"], "ben-long.txt", "y" * 5_000)
    await register_text(store, ben, theirs["id"], "ben-short.txt", "y")
    await register_text(store, cleo, others["id"], "cleo.txt", "z" * 10_000)


async def test_firms_and_people_take_turns_and_small_files_come_first(worker_store: WorkerStore, files) -> None:
    order = [await name_of_next(worker_store) for _ in range(23)]
    assert set(order[:3]) >= {"cleo.txt"} and {name for name in order[:3] if name and name.startswith("ben")} == {
        "ben-short.txt"
    }
    assert order.index("ben-long.txt") <= 5
    mine = [name for name in order if name and name.startswith("ada")]
    assert mine == sorted(mine, reverse=True), "the smallest file comes first"
    assert await name_of_next(worker_store) is None


async def test_who_has_a_document_in_work_waits_for_those_who_have_none(worker_store: WorkerStore, files) -> None:
    held = [await taken(worker_store) for _ in range(3)]
    assert {found["filename"].split("-")[0] for found in held if found} == {"ada", "ben", "cleo.txt"}
    assert await taken(worker_store, for_others=True) is None, "the last place is kept for others"
    assert await taken(worker_store) is not None


async def test_a_lease_that_ran_out_and_a_retry_that_is_due_take_their_turn(
    worker_store: WorkerStore, store: Store, ada: Caller, make_matter
) -> None:
    matter = await make_matter(ada)
    await register_text(store, ada, matter["id"], "a.txt", "text")
    first = await taken(worker_store)
    assert first is not None and await taken(worker_store) is None
    again = await claim_next(worker_store, lease_seconds=0, max_attempts=5)
    assert again is not None and again["claim"] == first["claim"] + 1
    retry = {"document_id": again["id"], "claim": again["claim"], "reason": "", "delay_seconds": 60}
    await worker_store.rpc("retry_document", retry)
    assert await taken(worker_store) is None
