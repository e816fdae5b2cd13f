"""Opens the store that the settings name: embedded Postgres, a Postgres with pgvector, or Supabase."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from pydantic import SecretStr

from orderly.errors import Misconfigured
from orderly.settings import Settings
from orderly.store.base import Blobs, CallersBlobs, Store, WorkerStore
from orderly.store.blobs_local import LocalBlobs
from orderly.store.conversations import sibling
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import check_connection_string, open_postgres, open_postgres_worker
from orderly.store.refusals import RecordsRefusals


@dataclass(frozen=True)
class OpenStores:
    store: Store
    blobs: CallersBlobs
    worker: Callable[[], Awaitable[WorkerStore]]
    """Opens a connection as the service role. Closed with the stores."""


@dataclass(frozen=True)
class WorkerStores:
    """Stores of the service role, without any connection for callers."""

    worker: WorkerStore
    blobs: Blobs
    queue_url: str | None
    """URL of a session connection as the database's owner, for the job queue; None if there is none."""


@asynccontextmanager
async def open_stores(settings: Settings) -> AsyncIterator[OpenStores]:
    async with AsyncExitStack() as stack:
        if settings.store_kind == "supabase":
            yield await _supabase(settings, stack)
        else:
            yield await _postgres(settings, stack)


@asynccontextmanager
async def open_worker_stores(settings: Settings) -> AsyncIterator[WorkerStores]:
    async with AsyncExitStack() as stack:
        if settings.store_kind == "supabase":
            yield _supabase_worker(settings, stack)
        else:
            url, _ = await _database_urls(settings, stack)
            worker = await open_postgres_worker(url)
            stack.push_async_callback(worker.close)
            blobs = LocalBlobs(settings.home / "files")
            stack.push_async_callback(blobs.close)
            yield WorkerStores(worker, blobs, url)


async def open_database(settings: Settings, stack: AsyncExitStack) -> tuple[str, Blobs]:
    """Returns the owner's URL and the blobs, without migrating the database, to restore a backup."""
    url, _ = await _database_urls(settings, stack)
    return url, LocalBlobs(settings.home / "files")


def conversations_url(settings: Settings, orderly_url: str) -> str:
    """Returns the URL of the server's database, which is separate as its tables have no row level security."""
    if settings.server_database_url is not None:
        return settings.server_database_url.get_secret_value()
    return sibling(orderly_url, "_conversations")


def known_conversations_url(settings: Settings, orderly_url: str | None) -> str | None:
    """Returns None for Supabase unless ORDERLY_SERVER_DATABASE_URL is set."""
    if settings.server_database_url is None and (orderly_url is None or settings.store_kind == "supabase"):
        return None
    return conversations_url(settings, orderly_url or "")


async def _database_urls(settings: Settings, stack: AsyncExitStack) -> tuple[str, str]:
    """Returns the URLs for the owner and for callers."""
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        check_connection_string("DATABASE_URL", url)
        return url, url
    server = await stack.enter_async_context(EmbeddedPostgres(settings.home / "postgres"))
    return server.database_url, server.caller_url


async def _postgres(settings: Settings, stack: AsyncExitStack) -> OpenStores:
    url, caller_url = await _database_urls(settings, stack)
    await migrate(url)
    store = await open_postgres(caller_url)
    stack.push_async_callback(store.close)
    blobs = LocalBlobs(settings.home / "files")
    stack.push_async_callback(blobs.close)

    async def worker() -> WorkerStore:
        opened = await open_postgres_worker(url)
        stack.push_async_callback(opened.close)
        return opened

    return OpenStores(RecordsRefusals(store), blobs, worker)


async def _supabase(settings: Settings, stack: AsyncExitStack) -> OpenStores:
    # supabase takes 0.17 s to import, so it is loaded only if it is used.
    from orderly.store.blobs_supabase import SupabaseCallersBlobs  # noqa: PLC0415
    from orderly.store.supabase import HS256TokenSource, SupabaseStore, SupabaseWorkerStore  # noqa: PLC0415

    url = settings.supabase_url or ""
    anon_key = _require(settings.supabase_anon_key, "SUPABASE_ANON_KEY")
    secret = _require(settings.supabase_jwt_secret, "SUPABASE_JWT_SECRET")
    tokens = HS256TokenSource(secret)
    store = SupabaseStore(url, anon_key, tokens)
    stack.push_async_callback(store.close)
    blobs = SupabaseCallersBlobs(url, anon_key, tokens, bucket=settings.supabase_bucket)
    stack.push_async_callback(blobs.close)

    async def worker() -> WorkerStore:
        opened = SupabaseWorkerStore(url, _require(settings.supabase_service_key, "SUPABASE_SERVICE_ROLE_KEY"))
        stack.push_async_callback(opened.close)
        return opened

    return OpenStores(RecordsRefusals(store), blobs, worker)


def _supabase_worker(settings: Settings, stack: AsyncExitStack) -> WorkerStores:
    from orderly.store.blobs_supabase import SupabaseBlobs  # noqa: PLC0415
    from orderly.store.supabase import SupabaseWorkerStore  # noqa: PLC0415

    url, key = settings.supabase_url or "", _require(settings.supabase_service_key, "SUPABASE_SERVICE_ROLE_KEY")
    worker = SupabaseWorkerStore(url, key)
    stack.push_async_callback(worker.close)
    blobs = SupabaseBlobs(url, key, bucket=settings.supabase_bucket)
    stack.push_async_callback(blobs.close)
    queue_url = settings.supabase_db_url
    return WorkerStores(worker, blobs, queue_url.get_secret_value() if queue_url else None)


def _require(value: SecretStr | None, name: str) -> SecretStr:
    if value is None:
        raise Misconfigured(f"SUPABASE_URL is set, so {name} must be set too.")
    return value
