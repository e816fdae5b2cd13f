"""A purge redacts a document's words in every checkpoint of stored conversations and in stored responses."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import psycopg
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row

from orderly.agent.middleware.briefing import RunContext
from orderly.graph import build_graph
from orderly.jobs.conversation_redaction import redactable
from orderly.models import Caller
from orderly.services.governance.purge import purge
from orderly.services.governance.redaction import MARK
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

THREAD = "019f0000-0000-7000-8000-000000000007"
QUESTION = "The warehouse in Newcastle was bought by resolution of the board. Which law governs the lease?"
SERVER = """
create table public.alembic_version (version_num text);
insert into public.alembic_version values ('head');
create table public.thread (thread_id text primary key);
create table public.runs (run_id text primary key, thread_id text, status text, input jsonb, output jsonb);
"""
"""The tables of the production server that redaction uses, besides those of the checkpointer."""


async def test_a_purge_redacts_conversations_and_stored_responses(
    settings: Settings,
    services: Services,
    operator: Operator,
    database_url: str,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
) -> None:
    lease = await add_file("lease.txt", LEASE)
    async with await psycopg.AsyncConnection.connect(
        database_url, autocommit=True, prepare_threshold=0, row_factory=dict_row
    ) as connection:
        await connection.execute(SERVER, prepare=False)
        saver = AsyncPostgresSaver(connection)
        await saver.setup()
        graph = build_graph(settings).copy(update={"checkpointer": saver})
        config: Any = acting(ada)
        config["configurable"] |= {"thread_id": THREAD, "run_id": "run-7"}
        given = {"messages": [HumanMessage(QUESTION)]}
        await graph.ainvoke(given, config, context=RunContext(matter_id=matter["id"]))
        before = await graph.aget_state(config)
        run = json.dumps({"messages": [{"content": LEASE.split("\n")[-2]}]})
        await connection.execute("insert into public.runs values ('run-7', %s, 'success', %s, '{}')", (THREAD, run))
        assert await holds(connection, "governed by and construed in accordance")
        body = {"new_id": "resp_" + "0" * 32, "thread_id": THREAD, "checkpoint_id": "c", "body": {"text": LEASE}}
        await services.store.rpc(replace(ada, thread_id=THREAD), "save_response", {**body, "document_ids": [lease]})

        await services.store.rpc(ada, "delete_document", {"document_id": lease})
        conversations = await redactable(database_url)
        await connection.execute("update public.runs set status = 'running'")
        await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations=conversations)
        assert await holds(connection, "governed by and construed in accordance"), "redaction must wait for a running answer"
        [receipt] = await services.store.rpc(ada, "list_receipts", {"matter_ref": matter["id"]})
        assert receipt["purged_at"] is None

        await connection.execute("update public.runs set status = 'success'")
        await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations=conversations)
        [receipt] = await services.store.rpc(ada, "list_receipts", {"matter_ref": matter["id"]})
        assert receipt["purged_at"] is not None
        assert not await holds(connection, "governed by and construed in accordance")
        assert not await holds(connection, "in accordance with the laws of New South Wales")
        after = await graph.aget_state(config)
        assert [m.id for m in after.values["messages"]] == [m.id for m in before.values["messages"]]
        assert after.values["messages"][0].text == QUESTION
        assert MARK in after.values["messages"][-1].text
        assert "for you to judge" in after.values["messages"][-1].text
        found = await (await connection.execute("select count(*) as n from public.responses")).fetchone()
        assert found == {"n": 0}
        given = {"messages": [HumanMessage("Which law governs it?")]}
        config["configurable"]["run_id"] = "run-8"
        again = await graph.ainvoke(given, config, context=RunContext(matter_id=matter["id"]))
        assert again["messages"][-1].id not in {m.id for m in after.values["messages"]}, [m.text for m in again["messages"]]
        assert "laws of New South Wales" not in str(again["messages"])


async def holds(connection: psycopg.AsyncConnection[Any], words: str) -> bool:
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
