from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from types import SimpleNamespace
from typing import Any, TypedDict

import pytest
from langchain_core._api.beta_decorator import LangChainBetaWarning
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.stream.transformers import CustomTransformer, UpdatesTransformer

from orderly.aegra import served_graph
from orderly.aegra.served_graph import ServedGraph, queue_runs
from orderly.agent import guarded_graph
from orderly.sign_in.langgraph_auth import RESERVED_KEYS


class Seen(TypedDict):
    seen: list[str]


class ProcessLocks:
    """One lock for all threads; records the thread of every run that took the lock."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self.locked_threads: list[str] = []

    @asynccontextmanager
    async def held(self, thread_id: str) -> AsyncIterator[None]:
        async with self._lock:
            self.locked_threads.append(thread_id)
            yield


@pytest.fixture(autouse=True)
def services(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slots of runs that never wait, since these graphs have no installation."""

    async def current() -> Any:
        return SimpleNamespace(runs=SimpleNamespace(slot=lambda user: nullcontext()))

    monkeypatch.setattr(guarded_graph, "current_services", current)


@pytest.fixture
def locks() -> Iterator[ProcessLocks]:
    made = ProcessLocks()
    queue_runs(made)  # type: ignore[arg-type]
    yield made
    served_graph._locks.clear()


def graph_of(node: Any) -> ServedGraph:
    builder = StateGraph(Seen)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    # A server copies the graph with its own checkpointer.
    return ServedGraph.of(builder.compile()).copy(update={"checkpointer": InMemorySaver()})


async def test_reserved_configuration_keys_do_not_reach_the_graph(locks: ProcessLocks) -> None:
    async def node(state: Seen, config: RunnableConfig) -> Seen:
        return {"seen": sorted(config["configurable"])}

    sent = {"thread_id": "t", "matter_id": "m", **dict.fromkeys(RESERVED_KEYS, "x")}
    result = await graph_of(node).ainvoke({"seen": []}, {"configurable": sent}, context=sent)
    assert "matter_id" in result["seen"]
    assert not set(RESERVED_KEYS) & set(result["seen"])


async def test_runs_of_one_thread_are_serialised_in_every_streaming_mode(locks: ProcessLocks) -> None:
    order: list[str] = []

    async def node(state: Seen) -> Seen:
        order.append("begin")
        await asyncio.sleep(0.01)
        order.append("end")
        return {"seen": []}

    graph, config = graph_of(node), {"configurable": {"thread_id": "t"}}

    async def events() -> None:
        async for _ in graph.astream_events({"seen": []}, config, version="v2"):
            pass

    await asyncio.gather(graph.ainvoke({"seen": []}, config), events())
    assert order == ["begin", "end"] * 2
    assert locks.locked_threads == ["t", "t"]


async def test_runs_without_locks_or_without_a_thread_do_not_wait(locks: ProcessLocks) -> None:
    async def node(state: Seen) -> Seen:
        return {"seen": ["done"]}

    builder = StateGraph(Seen)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    assert await ServedGraph.of(builder.compile()).ainvoke({"seen": []}) == {"seen": ["done"]}
    assert locks.locked_threads == []


async def test_the_server_does_not_add_a_transformer_that_the_graph_already_has() -> None:
    async def node(state: Seen) -> Seen:
        get_stream_writer()({"type": "told"})
        return {"seen": []}

    builder = StateGraph(Seen)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    graph = ServedGraph.of(builder.compile(transformers=[CustomTransformer]))
    with warnings.catch_warnings(action="ignore", category=LangChainBetaWarning):
        added = [UpdatesTransformer, CustomTransformer]
        stream = await graph.astream_events({"seen": []}, version="v3", transformers=added)
    async with stream:
        methods = [event["method"] async for event in stream]
    assert methods.count("custom") == 1
    assert "updates" in methods
