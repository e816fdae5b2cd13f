"""A purge redacts a document's words in every checkpoint of stored conversations and in stored responses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row

from orderly.agent.middleware.run_context import RunContext
from orderly.cli import cli
from orderly.graph import build_graph
from orderly.jobs.conversation_redaction import redactable
from orderly.jobs.polling import process_due_documents
from orderly.models import Caller
from orderly.services.governance.purge import purge
from orderly.services.governance.redaction import MARK
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

Connection = psycopg.AsyncConnection[Any]

THREAD = "019f0000-0000-7000-8000-000000000007"
QUESTION = "The warehouse in Newcastle was bought by resolution of the board. Which law governs the lease?"
SERVER = """
create table public.alembic_version (version_num text);
insert into public.alembic_version values ('head');
create table public.thread (thread_id text primary key);
create table public.runs (run_id text primary key, thread_id text, status text, input jsonb, output jsonb);
"""
"""The tables of the production server that redaction uses, besides those of the checkpointer."""


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator[Connection]:
    """To a database with the tables of the production server, which is Orderly's own here."""
    async with await psycopg.AsyncConnection.connect(
        database_url, autocommit=True, prepare_threshold=0, row_factory=dict_row
    ) as opened:
        await opened.execute(SERVER, prepare=False)
        yield opened


@dataclass
class Conversation:
    graph: Any
    config: Any
    context: RunContext
    lease: str


@pytest.fixture
async def conversation(
    connection: Connection,
    settings: Settings,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
) -> Conversation:
    """A question about a lease, answered with its words, in a conversation that is stored."""
    lease = await add_file("lease.txt", LEASE)
    saver = AsyncPostgresSaver(connection)
    await saver.setup()
    graph = build_graph(settings).copy(update={"checkpointer": saver})
    config = acting(ada)
    config["configurable"] |= {"thread_id": THREAD, "run_id": "run-7"}
    asked = Conversation(graph, config, RunContext(matter_id=matter["id"]), lease)
    await graph.ainvoke({"messages": [HumanMessage(QUESTION)]}, asked.config, context=asked.context)
    run = json.dumps({"messages": [{"content": LEASE.split("\n")[-2]}]})
    await connection.execute("insert into public.runs values ('run-7', %s, 'success', %s, '{}')", (THREAD, run))
    assert await holds(connection, "governed by and construed in accordance")
    return asked


async def test_a_purge_redacts_conversations_and_stored_responses(
    services: Services,
    operator: Operator,
    database_url: str,
    connection: Connection,
    conversation: Conversation,
    ada: Caller,
    matter: dict[str, Any],
) -> None:
    graph, config = conversation.graph, conversation.config
    before = await graph.aget_state(config)
    await stored_responses(services, ada, conversation.lease)

    await services.store.rpc(ada, "delete_document", {"document_id": conversation.lease})
    conversations = await redactable(database_url)
    await connection.execute("update public.runs set status = 'running'")
    await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations)
    assert await holds(connection, "governed by and construed in accordance"), "redaction must wait for a running answer"
    assert not await purged(services, ada, matter)

    await connection.execute("update public.runs set status = 'success'")
    await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations)
    assert await purged(services, ada, matter)
    assert not await holds(connection, "governed by and construed in accordance")
    assert not await holds(connection, "in accordance with the laws of New South Wales")
    after = await graph.aget_state(config)
    assert [m.id for m in after.values["messages"]] == [m.id for m in before.values["messages"]]
    assert after.values["messages"][0].text == QUESTION
    assert MARK in after.values["messages"][-1].text
    assert "for you to judge" in after.values["messages"][-1].text
    assert await bodies(connection) == [{"text": f"It is {MARK}. {QUESTION}"}, {"text": QUESTION}]
    given = {"messages": [HumanMessage("Which law governs it?")]}
    config["configurable"]["run_id"] = "run-8"
    again = await graph.ainvoke(given, config, context=conversation.context)
    assert again["messages"][-1].id not in {m.id for m in after.values["messages"]}, [m.text for m in again["messages"]]
    assert "laws of New South Wales" not in str(again["messages"])


async def purge_by_polling(operator: Operator, settings: Settings) -> None:
    """Polls as a server without a connection to the queue does, until the document is purged."""
    async with asyncio.timeout(20):
        await process_due_documents(replace(operator, queue_url=None), settings)


async def purge_by_command(operator: Operator, settings: Settings) -> None:
    url = operator.conversations_url
    environment = {"ORDERLY_HOME": str(settings.home), "DATABASE_URL": url, "ORDERLY_SERVER_DATABASE_URL": url}
    done = await asyncio.to_thread(CliRunner().invoke, cli, ["retention", "--apply"], env=environment)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("purge_somehow", [purge_by_polling, purge_by_command])
async def test_no_purge_leaves_a_deleted_documents_words_in_conversations(
    purge_somehow: Callable[[Operator, Settings], Awaitable[None]],
    settings: Settings,
    services: Services,
    operator: Operator,
    connection: Connection,
    conversation: Conversation,
    ada: Caller,
    matter: dict[str, Any],
) -> None:
    await services.store.rpc(ada, "delete_document", {"document_id": conversation.lease})
    url = settings.database_url and settings.database_url.get_secret_value()
    purging = asyncio.create_task(purge_somehow(replace(operator, conversations_url=str(url)), settings))
    while not await purged(services, ada, matter) and not purging.done():
        await asyncio.sleep(0.05)
    purging.cancel()
    [ended] = await asyncio.gather(purging, return_exceptions=True)
    assert ended is None or isinstance(ended, asyncio.CancelledError), ended
    assert await purged(services, ada, matter)
    assert not await holds(connection, "governed by and construed in accordance")


async def test_a_purge_without_a_production_server_redacts_stored_responses(
    services: Services,
    operator: Operator,
    connection: Connection,
    conversation: Conversation,
    ada: Caller,
    matter: dict[str, Any],
) -> None:
    await stored_responses(services, ada, conversation.lease)
    await services.store.rpc(ada, "delete_document", {"document_id": conversation.lease})
    await purge(operator.worker, operator.blobs, operator.ingestor.visuals, None)
    assert await purged(services, ada, matter)
    assert await bodies(connection) == [{"text": f"It is {MARK}. {QUESTION}"}, {"text": QUESTION}]


async def stored_responses(services: Services, caller: Caller, lease: str) -> None:
    """One response cites the lease, one holds its words without a citation, and one holds none of them."""
    words = LEASE.split("\n")[-2].rstrip(".")
    for number, (text, documents) in enumerate(((LEASE, [lease]), (f"It is {words}. {QUESTION}", []), (QUESTION, []))):
        stored = {"thread_id": THREAD, "checkpoint_id": "c", "body": {"text": text}, "document_ids": documents}
        await services.store.rpc(replace(caller, thread_id=THREAD), "save_response", {"new_id": f"resp_{number:032}", **stored})


async def bodies(connection: Connection) -> list[Any]:
    found = await connection.execute("select body from public.responses order by id")
    return [row["body"] for row in await found.fetchall()]


async def purged(services: Services, caller: Caller, matter: dict[str, Any]) -> bool:
    [receipt] = await services.store.rpc(caller, "list_receipts", {"matter_ref": matter["id"]})
    return receipt["purged_at"] is not None


async def holds(connection: Connection, words: str) -> bool:
    """True if the words occur in any table of the conversations."""
    needle = words.encode()
    for table, columns in {
        "checkpoints": "checkpoint::text, metadata::text",
        "checkpoint_blobs": "blob",
        "checkpoint_writes": "blob",
        "runs": "input::text, output::text",
    }.items():
        for row in await (await connection.execute(f"select {columns} from public.{table}")).fetchall():  # type: ignore[arg-type]
            for value in row.values():
                held = value.encode() if isinstance(value, str) else bytes(value or b"")
                if needle in held:
                    return True
    return False
