"""Workers on a real queue and database; only the engine is replaced."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from procrastinate.manager import JobManager

from orderly.cli import cli
from orderly.errors import EngineUnavailable, Misconfigured
from orderly.jobs import Worker, running_worker
from orderly.jobs.polling import process_due_documents
from orderly.models import Caller
from orderly.services.engines.local import LocalEngine
from orderly.settings import Settings
from orderly.store.functions.ingestion import queue_state
from orderly.wiring.services import Operator, Services
from support.files_left import files_below
from support.lease import LEASE

FetchDocument = Callable[[], Awaitable[dict[str, Any]]]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"lease_seconds": 2, "retry_seconds": 0.1, "stop_seconds": 0.5, "max_attempts": 3})


@pytest.fixture
async def document(operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path) -> str:
    """Id of a lease that is queued for processing."""
    path = tmp_path / "lease.txt"
    path.write_text(LEASE)
    left = await operator.file_ingestor.add(ada, matter["id"], path, wait=False)
    assert left.status == "queued"
    return left.document_id


@pytest.fixture
def fetch_document(services: Services, ada: Caller, document: str) -> FetchDocument:
    async def fetch() -> dict[str, Any]:
        found: dict[str, Any] = await services.store.rpc(ada, "get_document", {"document_id": document})
        return found

    return fetch


async def until(fetch_document: FetchDocument, *statuses: str, timeout: float = 20.0) -> dict[str, Any]:
    async with asyncio.timeout(timeout):
        while (found := await fetch_document())["status"] not in statuses:
            await asyncio.sleep(0.05)
    return found


async def jobs(database_url: str) -> int:
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        row = await (await connection.execute("select count(*) from queue.procrastinate_jobs")).fetchone()
    assert row is not None
    return int(row[0])


class BlockingEngine(LocalEngine):
    """Signals each call and answers when released."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Any, *, task: Any) -> Any:
        self.asked.set()
        await self.may_answer.wait()
        return await super().embed(texts, task=task)


class UnavailableEngine(LocalEngine):
    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def embed(self, texts: Any, *, task: Any) -> Any:
        self.times -= 1
        if self.times >= 0:
            raise EngineUnavailable("The engine is away.")
        return await super().embed(texts, task=task)


def with_engine(operator: Operator, engine: LocalEngine) -> Operator:
    return replace(operator, ingestor=replace(operator.ingestor, engine=engine))


async def test_a_worker_processes_documents_queued_before_and_during_its_run(
    operator, settings, fetch_document, services, ada, document, database_url
):
    async with running_worker(operator, settings.model_copy(update={"lease_seconds": 30})):
        assert (await until(fetch_document, "ready"))["revision"]["chunk_count"] == 6
        await services.store.rpc(ada, "reprocess_document", {"document_id": document})
        # Well below the polling interval: the notification wakes the worker.
        assert (await until(fetch_document, "ready", timeout=4))["revision"]["ordinal"] == 2
        async with asyncio.timeout(20):
            while await jobs(database_url):
                await asyncio.sleep(0.05)


async def test_an_operator_reads_how_many_workers_run(operator, settings, database_url, tmp_path):
    settings = settings.model_copy(update={"lease_seconds": 30})
    own = {"DATABASE_URL": database_url, "ORDERLY_HOME": str(tmp_path)}
    async with running_worker(operator, settings), running_worker(operator, settings), asyncio.timeout(60):
        while (await queue_state(operator.worker, 30))["workers"] < 6:
            await asyncio.sleep(0.05)
        checked = await asyncio.to_thread(CliRunner().invoke, cli, ["doctor"], env=own)
    assert "in work, 2 workers" in checked.output


async def test_a_worker_started_until_idle_ends_when_idle(operator, settings, fetch_document):
    async with asyncio.timeout(20):
        await Worker(operator, settings).run(until_idle=True)
    assert (await fetch_document())["status"] == "ready"


async def without_cancellation(work: Awaitable[Any]) -> Any:
    """Awaits work and drops a cancellation, as `asyncio.wait_for` of Python 3.11 does that gets it with the result."""
    task = asyncio.ensure_future(work)
    with suppress(asyncio.CancelledError):
        await asyncio.shield(task)
    return await task


async def ends_by_itself(worker: Worker) -> None:
    running = asyncio.create_task(worker.run())
    ended, _ = await asyncio.wait({running}, timeout=60)
    running.cancel()
    await asyncio.wait({running})
    assert ended


async def test_a_worker_stops_though_it_is_just_registering_itself(operator, settings, monkeypatch):
    worker, register = Worker(operator, settings), JobManager.register_worker

    async def register_while_stopped(manager: JobManager) -> Any:
        worker.stop()
        registration = asyncio.ensure_future(register(manager))
        await without_cancellation(asyncio.sleep(0.2))
        return await registration

    monkeypatch.setattr(JobManager, "register_worker", register_while_stopped)
    await ends_by_itself(worker)


async def test_a_worker_stops_though_it_is_just_looking_for_abandoned_documents(operator, settings, monkeypatch):
    worker, looked = Worker(operator, settings), []

    async def rescue_while_stopped(*_: Any) -> dict[str, int]:
        worker.stop()
        await without_cancellation(asyncio.sleep(0.5))
        looked.append(True)
        return {"jobs": 0, "documents": 0}

    monkeypatch.setattr("orderly.jobs.worker.rescue_documents", rescue_while_stopped)
    monkeypatch.setattr("orderly.jobs.restarts.CANCEL_SECONDS", 1)
    await ends_by_itself(worker)
    assert looked


async def test_a_temporarily_unavailable_engine_is_retried(operator, settings, fetch_document):
    engine = UnavailableEngine(times=2)
    async with running_worker(with_engine(operator, engine), settings):
        await until(fetch_document, "ready")
    assert engine.times < 0


async def test_a_permanently_unavailable_engine_leaves_keyword_search_and_says_so(operator, settings, fetch_document):
    engine = UnavailableEngine(times=99)
    async with running_worker(with_engine(operator, engine), settings):
        found = await until(fetch_document, "partial", "ready", "failed")
    assert found["status"] == "partial"
    assert "could not be embedded: The engine is away." in found["status_reason"]
    assert 99 - engine.times == settings.max_attempts


async def test_a_missing_file_fails_after_all_attempts_with_the_reason(operator, settings, fetch_document, tmp_path):
    shutil.rmtree(tmp_path / "files")
    async with running_worker(operator, settings):
        found = await until(fetch_document, "failed")
    assert found["status_reason"] == "The stored file is missing."


async def test_an_unreadable_file_is_not_retried(operator, settings, ada, matter, services, tmp_path, database_url):
    path = tmp_path / "empty.txt"
    path.write_text("")
    left = await operator.file_ingestor.add(ada, matter["id"], path, wait=False)
    await Worker(operator, settings).run(until_idle=True)
    found = await services.store.rpc(ada, "get_document", {"document_id": left.document_id})
    assert (found["status"], await jobs(database_url)) == ("failed", 0)


async def test_a_stopping_worker_returns_its_document_without_counting_the_attempt(
    operator, settings, fetch_document, database_url
):
    engine = BlockingEngine()
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
    assert (await fetch_document())["status"] == "queued"
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        assert await (await connection.execute("select attempts from documents")).fetchall() == [(0,)]
    await Worker(operator, settings).run(until_idle=True)
    assert (await fetch_document())["status"] == "ready"


async def test_a_worker_that_lost_its_claim_stops_and_publishes_nothing(
    operator, settings, fetch_document, services, ada, document
):
    engine = BlockingEngine()
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
        await services.store.rpc(ada, "reprocess_document", {"document_id": document})
        # Claimed by another worker before the first one fetches the new job.
        report = await operator.ingestor.process(document)
        assert report is not None
        assert report.status == "ready"
        engine.may_answer.set()
    found = await fetch_document()
    assert (found["status"], found["revision"]["ordinal"]) == ("ready", 1)


async def test_long_processing_renews_its_claim_and_reports_progress(operator, settings, fetch_document, document):
    engine = BlockingEngine()
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
        await asyncio.sleep(settings.lease_seconds * 1.5)
        assert await operator.ingestor.process(document) is None, "a claimed document must not be processed twice"
        shown = await fetch_document()
        assert (shown["status"], shown["stage_done"], shown["stage_total"]) == ("embedding", 0, 6)
        engine.may_answer.set()
        assert (await until(fetch_document, "ready"))["revision"]["ordinal"] == 1


async def test_the_uploader_gets_the_result_even_if_another_worker_processes_the_file(
    operator, settings, fetch_document, document
):
    engine = BlockingEngine()
    async with running_worker(with_engine(operator, engine), settings):
        await engine.asked.wait()
        watching = asyncio.create_task(operator.ingestor.finish(document))
        await asyncio.sleep(0.2)
        assert not watching.done()
        engine.may_answer.set()
        report = await watching
    assert (report.status, report.chunks) == ("ready", 6)


async def test_a_worker_survives_the_loss_of_its_connections(
    operator, settings, fetch_document, services, ada, document, database_url
):
    async with running_worker(operator, settings):
        await until(fetch_document, "ready")
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
            await connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
            )
        await services.store.rpc(ada, "reprocess_document", {"document_id": document})
        assert (await until(fetch_document, "ready"))["revision"]["ordinal"] == 2


async def test_deleted_documents_are_purged_by_the_worker_with_their_files(
    operator, settings, fetch_document, services, ada, document, tmp_path
):
    async with running_worker(operator, settings):
        await until(fetch_document, "ready")
        await services.store.rpc(ada, "delete_document", {"document_id": document})
        async with asyncio.timeout(20):
            while files_below(tmp_path / "files"):
                await asyncio.sleep(0.05)
    assert (await operator.worker.rpc("stats_for_doctor", {}))["chunks"] == 0


async def test_a_worker_without_a_database_connection_names_the_missing_setting(operator, settings):
    with pytest.raises(Misconfigured, match="SUPABASE_DB_URL"):
        Worker(replace(operator, queue_url=None), settings)


async def test_nothing_waits_behind_a_long_reading_but_the_same_persons_files(  # noqa: PLR0917
    operator, settings, services, ada, matter, document, make_user, make_matter, tmp_path, database_url
):
    """With two places: a colleague's file is read, Ada's second is not, a deletion is purged and the record is signed."""
    engine = BlockingEngine()
    ben = await make_user("ben@firm.example")
    theirs = await make_matter(ben)

    async def add(caller: Caller, matter_id: str, name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text)
        return str((await operator.file_ingestor.add(caller, matter_id, path, wait=False)).document_id)

    async def status(caller: Caller, document_id: str) -> str:
        found: dict[str, Any] = await services.store.rpc(caller, "get_document", {"document_id": document_id})
        return str(found["status"])

    async with running_worker(with_engine(operator, engine), settings.model_copy(update={"lease_seconds": 30}), jobs=2):
        await asyncio.wait_for(engine.asked.wait(), 20)
        second = await add(ada, matter["id"], "second.txt", "...")
        blank = await add(ben, theirs["id"], "blank.txt", "...")  # no word: nothing to embed
        async with asyncio.timeout(20):
            while await status(ben, blank) == "queued" or await status(ben, blank) not in ("ready", "partial"):
                await asyncio.sleep(0.05)
        assert await status(ada, second) == "queued"
        await services.store.rpc(ben, "delete_document", {"document_id": blank})
        async with asyncio.timeout(20), await psycopg.AsyncConnection.connect(database_url, autocommit=True) as admin:
            while await (await admin.execute("select 1 from public.documents where id = %s", (blank,))).fetchone():
                await asyncio.sleep(0.05)
            await admin.execute("select private.enqueue('sign_audit_heads', 'sign-now', '{}')")
            while not list(operator.witness.read_heads().heads):
                await asyncio.sleep(0.05)
        engine.may_answer.set()
        async with asyncio.timeout(20):
            while await status(ada, second) not in ("ready", "partial"):
                await asyncio.sleep(0.05)


async def test_a_server_that_polls_signs_the_record_and_applies_retention(
    operator: Operator, settings: Settings, add_file: Any, matter: dict[str, Any]
) -> None:
    await add_file("lease.txt", "The term is five years.")
    await operator.worker.rpc("set_retention", {"tenant": "Firm", "kind": "audit", "keep_days": 0, "matter_ref": matter["id"]})
    unsigned = {head["chain"]: head["seq"] for head in await operator.worker.rpc("unsigned_heads", {})}
    assert matter["id"] in unsigned

    async def signed() -> bool:
        reached = {chain["chain"]: chain["signed_seq"] for chain in await operator.worker.rpc("audit_chains", {})}
        return all(reached[chain] >= seq for chain, seq in unsigned.items())

    polling = asyncio.create_task(process_due_documents(replace(operator, queue_url=None), settings))
    try:
        async with asyncio.timeout(20):
            while not await signed():
                await asyncio.sleep(0.05)
            while not (await operator.worker.rpc("verify_audit", {"chain": matter["id"]}))["trimmed_to"]:
                await asyncio.sleep(0.05)
    finally:
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)
