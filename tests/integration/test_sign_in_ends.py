"""A sign-in expires during a run: the run stops, reads nothing more, and resumes after the next sign-in."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.errors import Denied
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.sign_in import identity
from orderly.sign_in.identity import SEAL_SECONDS
from orderly.wiring.services import Services
from support.lease import LEASE
from support.scripted_model import Reply, serve, texts, tool_names


@pytest.fixture
def expire_sign_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    def advance_clock() -> None:
        later = time.time() + SEAL_SECONDS + 1
        monkeypatch.setattr(identity.time, "time", lambda: later)

    yield advance_clock
    monkeypatch.undo()


async def test_a_run_stops_when_its_sign_in_expires_and_resumes_after_the_next(
    settings: Settings,
    services: Services,
    database_url: str,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
    expire_sign_in: Callable[[], None],
) -> None:
    await add_file("lease.txt", LEASE)
    asked: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        """Searches twice, and again after a refusal; the sign-in expires while the model decides on the second search."""
        here = "orchestrator" if "task" in tool_names(request) else "agent"
        reports = len(texts(request, "tool"))
        asked.append(f"{here} {reports}")
        if here == "orchestrator":
            return "Answered." if reports else [("task", {"description": "Which law?", "subagent_type": "document-agent"})]
        if reports == 1 and asked.count("agent 1") == 1:
            expire_sign_in()
        refused = reports > 0 and "sign-in has expired" in texts(request, "tool")[-1]
        query = "laws of New South Wales" if reports else "governing law"
        return "Found." if reports > 1 and not refused else [("isaacus_search", {"matter_id": matter["id"], "query": query})]

    def searches() -> int:
        with psycopg.connect(database_url) as admin:
            ((n,),) = admin.execute("select count(*) from audit_log where action = 'match_document_embeddings'").fetchall()
        return int(n)

    with serve(script) as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        graph = build_graph(with_model).copy(update={"checkpointer": InMemorySaver()})
        thread = {"thread_id": "thread-9", "run_id": "run-9"}
        signed_in = {"configurable": {**acting(ada)["configurable"], **thread}}
        question: dict[str, Any] = {"messages": [HumanMessage("Which law governs the lease?")]}
        with pytest.raises(Denied, match=r"sign-in has expired\. Sign in again and resume"):
            await graph.ainvoke(question, signed_in, context=RunContext(matter_id=matter["id"]))
        assert asked[-1] == "agent 1", "no model may be called after the sign-in expired"
        read = searches()
        again = {"configurable": {**acting(ada)["configurable"], **thread, "run_id": "run-10"}}
        answered = await graph.ainvoke(None, again, context=RunContext(matter_id=matter["id"]))
    assert "Answered." in answered["messages"][-1].text
    assert [m.type for m in answered["messages"]].count("human") == 1
    assert searches() > read
