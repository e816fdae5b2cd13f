"""Workers on a real queue in a real database; only the engine's answers are stood in for."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from orderly.errors import EngineUnavailable, Misconfigured
from orderly.jobs import Worker, running_worker
from orderly.models import Caller
from orderly.services.engines.local import LocalEngine
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

Look = Callable[[], Awaitable[dict[str, Any]]]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"lease_seconds": 2, "retry_seconds": 0.1, "stop_seconds": 0.5, "max_attempts": 3})


@pytest.fixture
async def document(operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path) -> str:
    """A lease whose reading is left to the queue."""
    path = tmp_path / "lease.txt"
    path.write_text(LEASE)
    left = await operator.file_ingestor.add(ada, matter["id"], path, wait=False)
    assert left.status == "queued"
    return left.document_id


@pytest.fixture
def look(services: Services, ada: Caller, document: str) -> Look:
    async def fetch() -> dict[str, Any]:
        found: dict[str, Any] = await services.store.rpc(ada, "get_document", {"document_id": document})
        return found

    return fetch


async def until(look: Look, *statuses: str, timeout: float = 20.0) -> dict[str, Any]:
    async with asyncio.timeout(timeout):
        while (found := await look())["status"] not in statuses:
            await asyncio.sleep(0.05)
    return found


async def jobs(database_url: str) -> int:
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        row = await (await connection.execute("select count(*) from queue.procrastinate_jobs")).fetchone()
    assert row is not None
    return int(row[0])


class Slow(LocalEngine):
    """Tells when it has been asked, and answers when it is let."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Any, *, task: Any) -> Any:
        self.asked.set()
        await self.may_answer.wait()
        return await super().embed(texts, task=task)


class Away(LocalEngine):
    def __init__(self, home: Path, times: int) -> None:
        super().__init__(home)
        self.times = times

    async def embed(self, texts: Any, *, task: Any) -> Any:
        self.times -= 1
        if self.times >= 0:
            raise EngineUnavailable("The engine is away.")
        return await super().embed(texts, task=task)


def with_engine(operator: Operator, engine: LocalEngine) -> Operator:
    return replace(operator, ingestor=replace(operator.ingestor, engine=engine))


async def test_a_worker_reads_what_is_queued_and_what_is_queued_while_it_waits(
    operator, settings, look, services, ada, document, database_url
):
    async with running_worker(operator, settings):
        assert (await until(look, "ready"))["revision"]["chunk_count"] == 6
        await services.store.rpc(ada, "reprocess_document", {"document_id": document})
        # Well below the interval of polling: the order itself wakes the worker.
        assert (await until(look, "ready", timeout=4))["revision"]["ordinal"] == 2
    assert await jobs(database_url) == 0


async def test_a_worker_told_to_end_when_idle_ends(operator, settings, look):
    async with asyncio.timeout(20):
        await Worker(operator, settings).run(until_idle=True)
    assert (await look())["status"] == "ready"


async def test_an_engine_that_is_away_for_a_while_is_tried_again(operator, settings, look, models):
    engine = Away(models, times=2)
    async with running_worker(with_engine(operator, engine), settings):
        await until(look, "ready")
    assert engine.times < 0


async def test_an_engine_that_stays_away_leaves_the_words_and_says_so(operator, settings, look, models):
    engine = Away(models, times=99)
    async with running_worker(with_engine(operator, engine), settings):
        found = await until(look, "partial", "ready", "failed")
    assert found["status"] == "partial"
    assert "could not be embedded: The engine is away." in found["status_reason"]
    assert 99 - engine.times == settings.max_attempts


async def test_a_file_that_storage_does_not_give_fails_after_all_tries_with_the_reason(operator, settings, look, tmp_path):
    shutil.rmtree(tmp_path / "files")
    async with running_worker(operator, settings):
        found = await until(look, "failed")
    assert found["status_reason"] == "The stored file is missing."


async def test_a_file_that_cannot_be_read_is_not_tried_again(operator, settings, ada, matter, services, tmp_path, database_url):
    path = tmp_path / "empty.txt"
    path.write_text("")
    left = await operator.file_ingestor.add(ada, matter["id"], path, wait=False)
    await Worker(operator, settings).run(until_idle=True)
    found = await services.store.rpc(ada, "get_document", {"document_id": left.document_id})
    assert (found["status"], await jobs(database_url)) == ("failed", 0)


async def test_what_a_stopping_worker_cannot_finish_it_hands_back_uncounted(operator, settings, look, models, database_url):
    engine = Slow(models)
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
    assert (await look())["status"] == "queued"
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        assert await (await connection.execute("select attempts from documents")).fetchall() == [(0,)]
    await Worker(operator, settings).run(until_idle=True)
    assert (await look())["status"] == "ready"


async def test_a_worker_that_lost_its_document_stops_and_publishes_nothing(
    operator, settings, look, services, ada, document, models
):
    engine = Slow(models)
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
        await services.store.rpc(ada, "reprocess_document", {"document_id": document})
        # In another's hands before the first worker comes to fetch the new job.
        report = await operator.ingestor.process(document)
        assert report is not None
        assert report.status == "ready"
        engine.may_answer.set()
    found = await look()
    assert (found["status"], found["revision"]["ordinal"]) == ("ready", 1)


async def test_a_long_piece_of_work_keeps_its_claim_and_shows_how_far_it_is(operator, settings, look, document, models):
    engine = Slow(models)
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
        await asyncio.sleep(settings.lease_seconds * 1.5)
        assert await operator.ingestor.process(document) is None, "it is in good hands"
        shown = await look()
        assert (shown["status"], shown["stage_done"], shown["stage_total"]) == ("embedding", 0, 6)
        engine.may_answer.set()
        assert (await until(look, "ready"))["revision"]["ordinal"] == 1


async def test_who_takes_a_file_in_sees_it_through_also_when_another_worker_has_it(operator, settings, look, document, models):
    engine = Slow(models)
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
        watching = asyncio.create_task(operator.ingestor.finish(document))
        await asyncio.sleep(0.2)
        assert not watching.done()
        engine.may_answer.set()
        report = await watching
    assert (report.status, report.chunks) == ("ready", 6)


async def test_a_worker_survives_the_loss_of_its_connections(operator, settings, look, services, ada, document, database_url):
    async with running_worker(operator, settings):
        await until(look, "ready")
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
            await connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
            )
        await services.store.rpc(ada, "reprocess_document", {"document_id": document})
        assert (await until(look, "ready"))["revision"]["ordinal"] == 2


async def test_deleted_documents_are_purged_by_the_worker_with_their_files(
    operator, settings, look, services, ada, document, tmp_path
):
    async with running_worker(operator, settings):
        await until(look, "ready")
        await services.store.rpc(ada, "delete_document", {"document_id": document})
        async with asyncio.timeout(20):
            while any(p.is_file() for p in (tmp_path / "files").rglob("*")):
                await asyncio.sleep(0.05)
    assert (await operator.worker.rpc("stats_for_doctor", {}))["chunks"] == 0


async def test_without_a_connection_to_listen_on_a_worker_says_what_it_needs(operator, settings):
    with pytest.raises(Misconfigured, match="SUPABASE_DB_URL"):
        Worker(replace(operator, queue_url=None), settings)
