"""A wall raised during a run ends the run at its next step; nothing more is read or answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.errors import NotFound
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.lease import LEASE
from support.scripted_model import Reply, Script, Stream, serve, texts, tool_names

WALL = """insert into matter_screens (matter_id, user_id, reason) select matter_id, user_id, 'Conflict' from matter_members"""


@pytest.mark.parametrize("moment", ["researching", "answering"])
async def test_a_wall_raised_during_a_run_ends_the_run(
    settings: Settings,
    services: Services,
    database_url: str,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
    moment: str,
) -> None:
    await add_file("lease.txt", LEASE)
    search = ("isaacus_search", {"matter_id": matter["id"], "query": "Which law governs?"})
    asked: list[str] = []

    def wall() -> None:
        with psycopg.connect(database_url, autocommit=True) as admin:
            admin.execute(WALL)

    def script(request: dict[str, Any]) -> Reply:
        """Searches twice; the wall is raised while the model decides on the second search, or on its report."""
        here = "orchestrator" if "task" in tool_names(request) else "agent"
        reports = len(texts(request, "tool"))
        asked.append(f"{here} {reports}")
        if here == "orchestrator":
            return (
                "New South Wales." if reports else [("task", {"description": "Which law?", "subagent_type": "document-agent"})]
            )
        if reports == (1 if moment == "researching" else 2):
            wall()
        return [search] if reports < 1 else [("list_matter_documents", search_in)] if reports < 2 else "It is New South Wales."

    search_in = {"matter_id": matter["id"]}
    config = acting(ada)
    config["configurable"] |= {"thread_id": "thread-7", "run_id": "run-7"}
    with pytest.raises(NotFound, match="Conversation thread-7 not found or you don't have access"):
        await run(settings, script, config, matter)
    assert asked[-1] == ("agent 1" if moment == "researching" else "agent 2")
    with psycopg.connect(database_url) as admin:
        actions = [a for (a,) in admin.execute("select action from audit_log order by id").fetchall()]
    assert "answer" not in actions
    assert "denied" in actions


async def test_an_answer_streamed_before_the_wall_is_recorded(
    settings: Settings,
    services: Services,
    database_url: str,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
) -> None:
    """The answer is streamed sentence by sentence; then the wall is raised and the run ends in an error."""
    await add_file("lease.txt", LEASE)

    def script(request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            return "It is so." if texts(request, "tool") else [("list_matter_documents", {"matter_id": matter["id"]})]
        if not texts(request, "tool"):
            return [("task", {"description": f"In {matter['number']}: which law?", "subagent_type": "document-agent"})]
        with psycopg.connect(database_url, autocommit=True) as admin:
            admin.execute(WALL)
        return "The law of New South Wales."

    config = acting(ada)
    config["configurable"] |= {"thread_id": "thread-8", "run_id": "run-8"}
    with pytest.raises(NotFound, match="Conversation thread-8 not found or you don't have access"):
        await run(settings, script, config, matter)
    with psycopg.connect(database_url) as admin:
        recorded = admin.execute("select detail ->> 'run', matter_id::text from audit_log where action = 'answer'").fetchall()
    assert recorded == [("run-8", matter["id"])]


async def test_a_wall_raised_while_a_long_answer_streams_ends_it_within_a_second(
    settings: Settings,
    services: Services,
    database_url: str,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
) -> None:
    """The model writes a sentence every half second; what was not yet sent when the wall went up stays unsent."""
    await add_file("lease.txt", LEASE)
    said = "It says “governed by and construed in accordance with the laws of New South Wales” [lease.txt, Section 5.1]. "
    paced: list[Any] = [{"content": said}, *[{"content": "I read on. "}, 0.5] * 10]

    def script(request: dict[str, Any]) -> Reply:
        return (
            Stream(paced)
            if texts(request, "tool")
            else [("isaacus_search", {"matter_id": matter["id"], "query": "Which law?"})]
        )

    config = acting(ada)
    config["configurable"] |= {"thread_id": "thread-9", "run_id": "run-9"}
    shown: list[str] = []
    with serve(script) as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        question = {"messages": [HumanMessage("Which law governs the lease?")]}
        streaming = build_graph(with_model).astream(question, config, stream_mode="messages")
        with pytest.raises(NotFound, match="Conversation thread-9 not found or you don't have access"):
            async for message, _ in streaming:
                if message.type == "AIMessageChunk" and message.text:
                    shown.append(message.text)
                    if "".join(shown).count("I read on.") == 2:
                        with psycopg.connect(database_url, autocommit=True) as admin:
                            admin.execute(f"{WALL} where not exists (select from matter_screens)")
    assert 2 <= "".join(shown).count("I read on.") <= 5, shown
    with psycopg.connect(database_url) as admin:
        recorded = admin.execute("select detail ->> 'run' from audit_log where action = 'answer'").fetchall()
    assert recorded == [("run-9",)], "the words that were shown belong to the record"


async def run(settings: Settings, script: Script, config: dict[str, Any], matter: dict[str, Any]) -> None:
    with serve(script) as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        graph = build_graph(with_model)
        question = {"messages": [HumanMessage("Which law governs the lease?")]}
        await graph.ainvoke(question, config, context=RunContext(matter_id=matter["id"]))
