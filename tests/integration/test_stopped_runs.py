"""Runs that are stopped, repeated after a restart, or left with an open question: what had finished stays, nothing is said twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import SecretStr

from orderly.agent.guarded_graph import GuardedGraph
from orderly.agent.middleware import run_ledger
from orderly.agent.middleware.run_context import RunContext
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.lease import LEASE
from support.scripted_model import Reply, ScriptedModel, Stream, serve, texts, tool_names

QUOTED = "governed by and construed in accordance with the laws of New South Wales"
ANSWER = f"It is “{QUOTED}” [lease.txt, Section 5.1]."
BOTH = "Which law, and who pays?"

Acting = Callable[[Caller], dict[str, Any]]
Matter = dict[str, Any]


class Conversation:
    """A conversation whose model searches and delegates in one message; the other agent works until `released`."""

    def __init__(self, settings: Settings, caller: dict[str, Any], matter: Matter) -> None:
        self.released, self.delegated = threading.Event(), asyncio.Event()
        self._settings, self._caller, self._matter = settings, caller["configurable"], matter
        self._loop, self._checkpoints = asyncio.get_running_loop(), InMemorySaver()

    def script(self, request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            self._loop.call_soon_threadsafe(self.delegated.set)
            return Stream([{"content": "The lessee pays."}], after=self.released)
        if request["messages"][-1]["role"] == "tool" or texts(request, "user")[-1] == "And now?":
            return ANSWER
        search = ("isaacus_search", {"matter_id": self._matter["id"], "query": "Which law governs?"})
        delegate = ("task", {"description": "Question: who pays?", "subagent_type": "document-agent"})
        return [search, delegate] if texts(request, "user")[-1] == BOTH else [search]

    def open(self, model: ScriptedModel) -> None:
        """Opens the graph as a new process does: it knows the checkpoints alone."""
        run_ledger._ledgers.clear()
        used = {"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url}
        graph = build_graph(self._settings.model_copy(update=used))
        self._graph = GuardedGraph.of(graph).copy(update={"checkpointer": self._checkpoints})

    async def ask(self, asked: str | Command[Any], run_id: str, context: RunContext | None = None) -> dict[str, Any]:
        config: Any = {"configurable": {**self._caller, "thread_id": "thread-stopped", "run_id": run_id}}
        sent: Any = asked if isinstance(asked, Command) else {"messages": [HumanMessage(asked)]}
        return await self._graph.ainvoke(sent, config, context=context or RunContext(matter_id=self._matter["id"]))

    async def stop_while_the_other_agent_works(self) -> None:
        running = asyncio.create_task(self.ask(BOTH, "run-1"))
        async with asyncio.timeout(60):
            while not (self.delegated.is_set() and await self._has_found()):
                await asyncio.sleep(0.02)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def _has_found(self) -> bool:
        saved = await self._checkpoints.aget_tuple({"configurable": {"thread_id": "thread-stopped", "checkpoint_ns": ""}})
        return saved is not None and any(channel == "messages" for _, channel, _ in saved.pending_writes or ())


@pytest.fixture
async def conversation(
    settings: Settings, ada: Caller, acting: Acting, matter: Matter, add_file: Callable[..., Awaitable[str]]
) -> Conversation:
    await add_file("lease.txt", LEASE)
    return Conversation(settings, acting(ada), matter)


def kinds(state: dict[str, Any]) -> list[str]:
    return [message.type for message in state["messages"]]


async def recorded(services: Services, caller: Caller, matter: Matter, action: str) -> int:
    entries: Any = await services.store.rpc(caller, "list_audit", {"matter_ref": matter["id"]})
    return [entry["action"] for entry in entries].count(action)


async def test_a_stop_leaves_the_calls_that_had_finished(conversation: Conversation) -> None:
    with serve(conversation.script) as model:
        conversation.open(model)
        await conversation.stop_while_the_other_agent_works()
        answered = await conversation.ask("And now?", "run-2")
    results = {m.name: m for m in answered["messages"] if m.type == "tool"}
    assert QUOTED in results["isaacus_search"].text and results["isaacus_search"].status == "success"
    assert "did not complete" in results["task"].text
    assert kinds(answered) == ["human", "ai", "tool", "tool", "human", "ai"]
    assert answered["messages"][-1].text.startswith(f"It is “{QUOTED}” [1].")


async def test_a_run_that_a_server_repeats_after_its_restart_goes_on_where_it_was(
    conversation: Conversation, services: Services, ada: Caller, matter: Matter
) -> None:
    """Servers send the question of an unfinished run again."""
    with serve(conversation.script) as model:
        conversation.open(model)
        await conversation.stop_while_the_other_agent_works()
        conversation.released.set()
        searches = await recorded(services, ada, matter, "search_chunks")
        conversation.open(model)
        answered = await conversation.ask(BOTH, "run-1")
        conversation.open(model)
        again = await conversation.ask(BOTH, "run-1")
    assert kinds(answered) == ["human", "ai", "tool", "tool", "ai"]
    assert [m.text for m in answered["messages"] if m.type == "tool" and m.name == "task"] == ["The lessee pays."]
    assert answered["messages"][-1].text.startswith(f"It is “{QUOTED}” [1].")
    assert [m.id for m in again["messages"]] == [m.id for m in answered["messages"]], "a finished run is not run again"
    assert await recorded(services, ada, matter, "search_chunks") == searches, "the finished search is not made again"
    assert await recorded(services, ada, matter, "answer") == 1


async def test_a_question_beside_an_open_question_is_answered_and_a_late_choice_changes_nothing(
    conversation: Conversation, services: Services, ada: Caller, matter: Matter
) -> None:
    await services.store.rpc(ada, "create_matter", {"title": "Purchase of 3 Low Street"})
    everywhere = RunContext()
    with serve(conversation.script) as model:
        conversation.open(model)
        conversation.released.set()
        asked = await conversation.ask(BOTH, "run-1", everywhere)
        answered = await conversation.ask("Which law alone?", "run-2")
        late = await conversation.ask(Command(resume=matter["id"]), "run-3", everywhere)
    assert asked["__interrupt__"][0].value["kind"] == "which_matter"
    assert kinds(answered) == ["human", "ai", "tool", "tool", "human", "ai", "tool", "ai"]
    assert ["did not complete" in m.text for m in answered["messages"] if m.type == "tool"] == [True, True, False]
    assert answered["messages"][-1].text.startswith(f"It is “{QUOTED}” [1].")
    assert [m.id for m in late["messages"]] == [m.id for m in answered["messages"]]
    assert await recorded(services, ada, matter, "answer") == 1
