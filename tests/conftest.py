"""Shared fixtures: one embedded Postgres per test run, one new database per test."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import httpx
import psycopg
import pytest

from orderly.models import Caller, DocumentStatus, Section
from orderly.store.base import Store, WorkerStore
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import PostgresStore, PostgresWorkerStore, open_postgres, open_postgres_worker
from orderly.store.supabase import SupabaseStore, SupabaseWorkerStore
from support.result_shapes import type_errors
from support.revisions import publish as publish_revision
from support.revisions import register_text, revision_of

# Without bytecode files, every reader process and xdist worker would compile the whole package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

TEMPLATE = "orderly_template"


@pytest.fixture(autouse=True)
def check_result_types(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compares every result of a store with the types that `orderly.store.functions` declares."""
    wrong: list[str] = []

    def checking(rpc: Callable[..., Awaitable[Any]], position: int) -> Callable[..., Awaitable[Any]]:
        async def checked(*args: Any, **more: Any) -> Any:
            result = await rpc(*args, **more)
            wrong.extend(type_errors(args[position], result))
            return result

        return checked

    for store, position in ((PostgresStore, 2), (PostgresWorkerStore, 1), (SupabaseStore, 2), (SupabaseWorkerStore, 1)):
        monkeypatch.setattr(store, "rpc", checking(store.rpc, position))
    yield
    assert not wrong, "\n".join(dict.fromkeys(wrong))


@pytest.fixture(scope="session", autouse=True)
def one_ssl_context() -> Iterator[None]:
    """Every HTTP client would read the certificates of all authorities again, which takes longer than most requests."""

    @cache
    def made(_certificates: tuple[str | None, ...], options: tuple[tuple[str, Any], ...]) -> ssl.SSLContext:
        return httpx.create_ssl_context(**dict(options))

    def shared(**options: Any) -> ssl.SSLContext:
        return made(tuple(map(os.environ.get, ("SSL_CERT_FILE", "SSL_CERT_DIR"))), tuple(options.items()))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", shared)
        yield


@pytest.fixture(scope="session")
def fast_folder() -> str | None:
    """A folder in memory if there is room: a new database has about 400 files, which take half a second on a busy disk."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30 else None


@pytest.fixture(scope="session")
def embedded_postgres(fast_folder: str | None) -> Iterator[EmbeddedPostgres]:
    """The server of the test run. Other accounts may traverse its home, so that the tests also run as root."""
    parent = Path(tempfile.mkdtemp(prefix="orderly-tests-", dir=fast_folder))
    parent.chmod(0o711)
    server = EmbeddedPostgres(parent / "home")
    asyncio.run(server.__aenter__())
    try:
        yield server
    finally:
        asyncio.run(server.__aexit__(None, None, None))
        shutil.rmtree(server.folder, ignore_errors=True)
        shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture(scope="session")
def template_database(embedded_postgres: EmbeddedPostgres) -> str:
    with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
        # The data need not survive the run; without fsync a database is created and dropped in a tenth of the time.
        admin.execute("alter system set fsync = off")
        admin.execute("select pg_reload_conf()")
        admin.execute(f"create database {TEMPLATE}")
    asyncio.run(migrate(embedded_postgres.url_of(TEMPLATE)))
    return TEMPLATE


@pytest.fixture
def database_url(embedded_postgres: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """A migrated, empty database for one test."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
        # Copying files takes three quarters of the time of writing them to the log.
        admin.execute(f"create database {name} template {template_database} strategy file_copy")
        yield embedded_postgres.url_of(name)
        admin.execute(f"drop database {name} with (force)")


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[PostgresStore]:
    """The agent's store, connected as `authenticator`."""
    opened = await open_postgres(database_url.replace("//postgres@", "//authenticator@"))
    yield opened
    await opened.close()


@pytest.fixture
async def worker_store(database_url: str) -> AsyncIterator[PostgresWorkerStore]:
    opened = await open_postgres_worker(database_url)
    yield opened
    await opened.close()


@pytest.fixture
def make_user(worker_store: WorkerStore) -> Callable[..., Awaitable[Caller]]:
    """`await make_user("ada@firm.example", tenant="Firm")`; creates the tenant if it does not exist."""

    async def make(email: str, *, tenant: str = "Firm", is_admin: bool = False, thread_id: str | None = None) -> Caller:
        known = {user["tenant_name"] for user in await worker_store.rpc("list_users", {})}
        if tenant not in known:
            await worker_store.rpc("create_tenant", {"name": tenant})
        user = await worker_store.rpc(
            "create_user",
            {"email": email, "display_name": email.partition("@")[0], "tenant": tenant, "is_admin": is_admin},
        )
        return Caller(user["user_id"], thread_id)

    return make


@pytest.fixture
def make_matter(store: Store) -> Callable[..., Awaitable[dict[str, Any]]]:
    """`await make_matter(owner, "Title", editors=[email], viewers=[email])` returns the matter as `get_matter` does."""

    async def make(
        owner: Caller, title: str = "Matter", *, editors: Sequence[str] = (), viewers: Sequence[str] = ()
    ) -> dict[str, Any]:
        matter: dict[str, Any] = await store.rpc(owner, "create_matter", {"title": title})
        for role, emails in (("editor", editors), ("viewer", viewers)):
            for email in emails:
                await store.rpc(
                    owner,
                    "add_matter_member",
                    {"matter_ref": matter["id"], "member_email": email, "member_role": role},
                )
        return matter

    return make


class PublishText(Protocol):
    async def __call__(
        self,
        caller: Caller,
        matter_ref: str,
        filename: str,
        text: str,
        *,
        sections: Sequence[Section] = (),
        chunked: bool = True,
        status: DocumentStatus = "ready",
    ) -> str: ...


@pytest.fixture
def publish_text(store: Store, worker_store: WorkerStore) -> PublishText:
    """Registers a document and publishes `text` as its revision; pages end at form feeds. Returns the document's id."""

    async def publish(
        caller: Caller,
        matter_ref: str,
        filename: str,
        text: str,
        *,
        sections: Sequence[Section] = (),
        chunked: bool = True,
        status: DocumentStatus = "ready",
    ) -> str:
        document_id = await register_text(store, caller, matter_ref, filename, text)
        content = revision_of(document_id, text, sections=sections, chunked=chunked, status=status)
        await publish_revision(worker_store, content)
        return document_id

    return publish
