"""The graph records each answer with its sources; an answer that cannot be recorded is not given."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.errors import Conflict, Misconfigured
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.keys import audit_witness
from orderly.wiring.services import Services
from support.lease import LEASE

Acting = Callable[[Caller], dict[str, Any]]
Add = Callable[..., Awaitable[str]]


@pytest.fixture
async def asked(
    settings: Settings, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, acting: Acting
) -> Callable[[], Awaitable[dict[str, Any]]]:
    """Returns a coroutine function that asks about the lease in Ada's run "run-7"."""
    await add_file("lease.txt", LEASE)
    config = acting(ada)
    config["configurable"] |= {"run_id": "run-7", "thread_id": "thread-7"}
    graph = build_graph(settings)

    async def ask() -> dict[str, Any]:
        question = {"messages": [HumanMessage("Which law governs the lease?")]}
        state: dict[str, Any] = await graph.ainvoke(question, config, context=RunContext(matter_id=matter["id"]))
        return state

    return ask


async def test_a_runs_question_model_passages_and_citations_are_recorded(
    services: Services, ada: Caller, matter: dict[str, Any], asked: Callable[[], Awaitable[dict[str, Any]]]
) -> None:
    state = await asked()
    in_run = replace(ada, run_id="run-7", thread_id="thread-7")
    await services.library.search(in_run, matter["id"], "governing law", 5)
    run = await services.store.rpc(ada, "replay_run", {"run_id": "run-7"})
    assert (run["question"], run["model"], run["thread"]) == ("Which law governs the lease?", "offline-planner", "thread-7")
    assert run["answer_sha256"] == hashlib.sha256(state["messages"][-1].text.encode()).hexdigest()
    assert [c["text"] for c in run["citations"]] == [c["text"] for c in state["citations"]]
    assert all(LEASE[p["start"] : p["end"]] == p["text"] for p in (*run["citations"], *run["passages"]))
    assert run["passages"]
    calls = [entry["action"] for entry in run["entries"]]
    assert "answer" in calls
    assert "get_matter" in calls


async def test_an_answer_that_cannot_be_recorded_is_not_given(
    database_url: str, asked: Callable[[], Awaitable[dict[str, Any]]]
) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute("alter table audit_log add constraint refused check (action <> 'answer') not valid")
    with pytest.raises(Conflict):
        await asked()


async def test_an_invalid_key_for_the_record_is_reported(settings: Settings) -> None:
    with pytest.raises(Misconfigured, match="32 bytes in base64"):
        audit_witness(settings.model_copy(update={"audit_key": SecretStr("short")}))
