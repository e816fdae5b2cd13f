"""A node of the production server: a process that answers requests and executes runs, without local state."""

from __future__ import annotations

import asyncio
import importlib
import logging
from contextlib import AsyncExitStack

import uvicorn

from orderly.aegra.conversation_files import take_files
from orderly.aegra.environment import aegra_environment, load_aegra
from orderly.aegra.header_time import HeadersInTime
from orderly.aegra.lost_ends import end_lost_streams
from orderly.aegra.served_graph import queue_runs
from orderly.aegra.sign_in_check import require_sign_in
from orderly.aegra.start_in_turn import StartInTurn
from orderly.errors import Misconfigured
from orderly.settings import Settings
from orderly.store.conversations import make_database, name_threads, schema_revision, threads_are_named
from orderly.store.migrate import migrate
from orderly.store.thread_locks import ThreadLocks
from orderly.wiring.installation_checks import require_redis
from orderly.wiring.stores import conversations_url, open_database

_log = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS = 75
"""Of a connection without a request. Longer than proxies and clients keep theirs (nginx: 60 s), so that none sends a request on
a connection that is being closed: it could not know whether the request arrived.
"""


async def conversations_outdated(settings: Settings, conversations: str) -> bool:
    """Whether the database of the conversations has tables of an earlier version."""
    revision = await schema_revision(conversations)
    return revision is not None and revision != _newest_revision(aegra_environment(settings, conversations, runs=1))


async def prepare_conversations(settings: Settings, conversations: str) -> None:
    """Makes the database of the conversations, or brings it up to date."""
    await make_database(conversations)
    environment = aegra_environment(settings, conversations, runs=1)
    migrations = load_aegra(environment, "aegra_api.core.migrations")
    await asyncio.to_thread(migrations.run_migrations)
    await name_threads(conversations)
    database = load_aegra(environment, "aegra_api.core.database").db_manager
    await database.initialize()
    await database.close()


async def serve(settings: Settings, host: str, port: int, runs: int) -> None:
    """Serves until stopped. Then finishes active runs or releases them to another node."""
    await require_redis(settings)
    async with AsyncExitStack() as stack:
        url = await _orderly_url(settings, stack)
        conversations = conversations_url(settings, url)
        environment = aegra_environment(settings, conversations, runs)
        await _require_upgraded(conversations, environment)
        locks = ThreadLocks(conversations)
        stack.push_async_callback(locks.close)
        queue_runs(locks)
        take_files(environment)
        end_lost_streams(environment, conversations)
        app = load_aegra(environment, "aegra_api.main").app
        await require_sign_in(app)
        if settings.redis_url is None:
            _log.warning("No ORDERLY_REDIS_URL: this is the only node, and runs under way are lost when it is killed.")
        # Clients keep event streams open indefinitely, so shutdown closes the streams after 5 s.
        config = uvicorn.Config(
            StartInTurn(app, url),
            host=host,
            port=port,
            http=HeadersInTime,
            lifespan="on",
            log_config=None,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=5,
        )
        await uvicorn.Server(config).serve()


async def _orderly_url(settings: Settings, stack: AsyncExitStack) -> str:
    """Raises Misconfigured if the tables are not this version's."""
    if settings.store_kind == "supabase":
        return conversations_on_supabase(settings)
    url = (await open_database(settings, stack))[0]
    await migrate(url)
    return url


def conversations_on_supabase(settings: Settings) -> str:
    if settings.server_database_url is None:
        raise Misconfigured("Beside Supabase, the conversations need a Postgres of their own: set ORDERLY_SERVER_DATABASE_URL.")
    return settings.server_database_url.get_secret_value()


async def _require_upgraded(conversations: str, environment: dict[str, str]) -> None:
    current = await schema_revision(conversations) == _newest_revision(environment)
    if not current or not await threads_are_named(conversations):
        raise Misconfigured("The database of the conversations is not up to date: run `orderly node upgrade` first.")


def _newest_revision(environment: dict[str, str]) -> str | None:
    config = load_aegra(environment, "aegra_api.core.migrations").get_alembic_config()
    head: str | None = importlib.import_module("alembic.script").ScriptDirectory.from_config(config).get_current_head()
    return head
