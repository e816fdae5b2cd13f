"""The queue in the database: jobs are created and deleted in the transaction that changes the document's status."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import psycopg
import pytest

from orderly.models import Caller
from orderly.settings import Settings
from orderly.store.migrate import migrations_folder
from store.conftest import Admin
from support.revisions import claim, publish, register_text, republish, revision_of

JOBS = "select task_name, queueing_lock, args from queue.procrastinate_jobs where status = 'todo' order by id"
TABLES = "select oid::regclass::text from pg_class where relnamespace = 'queue'::regnamespace and relkind = 'r'"


@pytest.fixture
async def ada(make_user) -> Caller:
    return await make_user("ada@firm.example")


@pytest.fixture
async def matter(make_matter, ada) -> str:
    made: dict[str, Any] = await make_matter(ada)
    return made["id"]


def jobs(admin: Admin) -> list[Any]:
    return admin.execute(JOBS).fetchall()


def job_of(document_id: str) -> tuple[str, str, dict[str, str]]:
    return ("process_document", f"document:{document_id}", {"document_id": document_id})


def start_job(admin: Admin, *, heartbeat_seconds_ago: int | None) -> int:
    """Fetches the first job as a worker whose last heartbeat is this old; None: the worker's record is deleted."""
    ((worker_id,),) = admin.execute("select queue.procrastinate_register_worker_v1()").fetchall()
    admin.execute("select queue.procrastinate_fetch_job_v2(null, %s)", (worker_id,))
    if heartbeat_seconds_ago is None:
        admin.execute("delete from queue.procrastinate_workers where id = %s", (worker_id,))
    else:
        admin.execute(
            "update queue.procrastinate_workers set last_heartbeat = now() - make_interval(secs => %s) where id = %s",
            (heartbeat_seconds_ago, worker_id),
        )
    return int(worker_id)


async def test_queueing_creates_a_job_and_publication_deletes_it(store, worker_store, ada, matter, admin):
    document_id = await register_text(store, ada, matter, "a.txt", "text")
    assert jobs(admin) == [job_of(document_id)]
    await publish(worker_store, revision_of(document_id, "text"))
    assert jobs(admin) == []
    await store.rpc(ada, "reprocess_document", {"document_id": document_id})
    await store.rpc(ada, "reprocess_document", {"document_id": document_id})
    assert jobs(admin) == [job_of(document_id)], "queueing twice must create one job"
    await store.rpc(ada, "delete_document", {"document_id": document_id})
    assert jobs(admin) == [("purge_deleted", "purge", {})]


async def test_a_job_is_notified_on_commit_only(store, ada, matter, admin, database_url):
    def announced(timeout: float) -> Iterator[psycopg.Notify]:
        return admin.notifies(timeout=timeout, stop_after=1)

    document_id = await register_text(store, ada, matter, "a.txt", "text")
    admin.execute('listen "procrastinate_queue_v1#orderly"')
    with psycopg.connect(database_url) as other:
        other.execute("update documents set status = 'queued' where id = %s", (document_id,))
        assert list(announced(0.2)) == []
        other.rollback()
    assert list(announced(0.2)) == []
    await store.rpc(ada, "reprocess_document", {"document_id": document_id})
    assert [n.channel for n in announced(5)] == ["procrastinate_queue_v1#orderly"]


async def test_a_new_order_does_not_wait_for_a_postponed_retry(store, worker_store, ada, matter, admin):
    document_id = await register_text(store, ada, matter, "a.txt", "text")
    held = {"document_id": document_id, "claim": await claim(worker_store, document_id)}
    await worker_store.rpc("retry_document", {**held, "reason": "", "delay_seconds": 600})
    due = "select scheduled_at is null, attempts from queue.procrastinate_jobs"
    assert admin.execute(due).fetchall() == [(False, 0)]
    await store.rpc(ada, "reprocess_document", {"document_id": document_id})
    assert admin.execute(due).fetchall() == [(True, 0)]
    assert admin.execute("select attempts, retry_at from documents").fetchall() == [(0, None)]


@pytest.mark.parametrize("heartbeat", [None, 40])
async def test_documents_of_a_silent_worker_are_queued_again(store, worker_store, ada, matter, admin, heartbeat):
    document_id = await register_text(store, ada, matter, "a.txt", "text")
    start_job(admin, heartbeat_seconds_ago=heartbeat)
    await claim(worker_store, document_id)
    admin.execute("update documents set claimed_at = now() - interval '40 seconds'")
    assert await worker_store.rpc("rescue_documents", {"lease_seconds": 30}) == {"jobs": 1, "documents": 1}
    assert jobs(admin) == [job_of(document_id)]
    assert await worker_store.rpc("rescue_documents", {"lease_seconds": 30}) == {"jobs": 0, "documents": 0}
    assert await claim(worker_store, document_id), "the document must be claimable"


async def test_rescue_ignores_claimed_and_waiting_documents(store, worker_store, ada, matter, admin):
    working = await register_text(store, ada, matter, "a.txt", "text")
    start_job(admin, heartbeat_seconds_ago=0)
    await claim(worker_store, working)
    fetched = await register_text(store, ada, matter, "b.txt", "fetched by a worker that has not begun")
    start_job(admin, heartbeat_seconds_ago=0)
    waiting = await register_text(store, ada, matter, "c.txt", "waiting")
    done = await register_text(store, ada, matter, "d.txt", "done")
    await publish(worker_store, revision_of(done, "done"))
    assert await worker_store.rpc("rescue_documents", {"lease_seconds": 30}) == {"jobs": 0, "documents": 0}
    assert jobs(admin) == [job_of(waiting)]
    claimed = admin.execute("select id::text from documents where claimed_at is not null").fetchall()
    assert claimed == [(working,)]
    statuses = dict(admin.execute("select id::text, status from documents").fetchall())
    assert (statuses[fetched], statuses[waiting], statuses[done]) == ("queued", "queued", "ready")


async def test_an_expired_claim_without_a_job_is_rescued(store, worker_store, ada, matter, admin):
    """This happens when an `ingest` command is killed after a worker dropped the job, because the document was claimed."""
    document_id = await register_text(store, ada, matter, "a.txt", "text")
    await claim(worker_store, document_id)
    admin.execute("delete from queue.procrastinate_jobs")
    assert await worker_store.rpc("rescue_documents", {"lease_seconds": 30}) == {"jobs": 0, "documents": 0}
    admin.execute("update documents set claimed_at = now() - interval '40 seconds'")
    assert await worker_store.rpc("rescue_documents", {"lease_seconds": 30}) == {"jobs": 0, "documents": 1}
    assert jobs(admin) == [job_of(document_id)]


async def test_workers_do_not_wait_for_a_locked_document(store, worker_store, ada, matter, database_url):
    """A worker paused during publication holds the row lock."""
    document_id = await register_text(store, ada, matter, "a.txt", "text")
    with psycopg.connect(database_url) as paused:
        paused.execute("select from documents where id = %s for update", (document_id,))
        taken = {"document_id": document_id, "lease_seconds": 0, "max_attempts": 5}
        assert await worker_store.rpc("claim_document", taken) is None
        assert (await worker_store.rpc("worker_document", {"document_id": document_id}))["status"] == "queued"


async def test_the_old_text_stays_searchable_while_a_new_version_is_processed(store, worker_store, ada, matter, publish_text):
    document_id = await publish_text(ada, matter, "a.txt", "The old wording on escrow.")
    await store.rpc(ada, "reprocess_document", {"document_id": document_id})
    held = {"document_id": document_id, "claim": await claim(worker_store, document_id)}
    search = {"matter_id": matter, "query": "escrow"}
    assert await store.rpc(ada, "search_chunks", search)
    await worker_store.rpc("set_document_status", {**held, "status": "failed", "reason": "The file is damaged."})
    assert await store.rpc(ada, "search_chunks", search)
    assert (await store.rpc(ada, "get_revision", {"document_id": document_id}))["text"] == "The old wording on escrow."
    await republish(store, ada, worker_store, revision_of(document_id, "The new wording."))
    assert await store.rpc(ada, "search_chunks", search) == []


def test_the_queues_schema_is_that_of_the_installed_library():
    theirs = files("procrastinate").joinpath("sql", "schema.sql").read_text(encoding="utf-8")
    ours = "".join(path.read_text(encoding="utf-8") for path in migrations_folder().glob("*.sql"))
    assert theirs[theirs.index("-- Enums") :].strip() in ours


def test_caller_roles_have_no_access_to_the_queue(admin):
    tables = [row[0] for row in admin.execute(TABLES)]
    assert len(tables) == 4
    for role in ("anon", "authenticated", "service_role"):
        assert not admin.execute("select has_schema_privilege(%s, 'queue', 'usage')", (role,)).fetchall()[0][0]
        for table in tables:
            granted = admin.execute(
                "select has_table_privilege(%s, %s, 'select, insert, update, delete, truncate')", (role, table)
            ).fetchall()
            assert granted == [(False,)], (role, table)
        functions = "select count(*) from pg_proc where pronamespace = 'queue'::regnamespace and has_function_privilege(%s, oid, 'execute')"
        assert admin.execute(functions, (role,)).fetchall() == [(0,)]


def test_the_queues_tables_have_row_level_security_and_its_functions_a_search_path(admin):
    open_tables = f"select relname from pg_class where not relrowsecurity and oid::regclass::text in ({TABLES})"
    assert admin.execute(open_tables).fetchall() == []
    loose = "select proname from pg_proc where pronamespace = 'queue'::regnamespace and proconfig is null"
    assert admin.execute(loose).fetchall() == []


def test_the_statuses_of_unfinished_documents_are_those_of_their_index(admin):
    """The functions that list them are folded into constants, so that the partial index serves the queries."""
    for statuses in ("private.unfinished()", "private.in_work()"):
        with admin.transaction(force_rollback=True):
            admin.execute("set local enable_seqscan = off")
            lines = admin.execute(
                f"explain select id from public.documents where deleted_at is null and status = any ({statuses})"
            ).fetchall()
        assert any("documents_unfinished" in line for (line,) in lines), lines


def test_the_limits_before_a_server_started_are_the_defaults_of_the_settings(admin):
    default = {name: field.default for name, field in Settings.model_fields.items()}
    with admin.transaction(force_rollback=True):
        admin.execute("delete from private.limits")
        [(limits,)] = admin.execute("select to_jsonb(private.limits_now()) - 'only_row'").fetchall()
    assert limits == {name: default[f"max_{name}"] for name in limits}
