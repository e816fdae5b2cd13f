"""The graph drawing shows orchestrator and document agent, and the subagent's state can be read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from orderly.aegra.served_graph import ServedGraph
from orderly.agent.drawing import mermaid
from orderly.agent.middleware.run_context import RunContext
from orderly.graph import build_graph, graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.lease import LEASE

INNER = {"document-agent:model", "document-agent:tools"}


def test_orchestrator_and_document_agent_are_nodes_with_an_edge_between_them() -> None:
    drawn = graph.get_graph()
    assert {"orchestrator", "document-agent"} <= drawn.nodes.keys()
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert {("orchestrator", "document-agent"), ("document-agent", "orchestrator")} <= edges


async def test_xray_shows_the_steps_of_the_document_agent() -> None:
    assert graph.get_graph(xray=True).nodes.keys() >= INNER
    assert (await graph.aget_graph(xray=1)).nodes.keys() >= INNER
    assert all(name.replace(":", r"\3a") in mermaid(graph) for name in INNER)


def test_copies_of_the_graph_keep_the_subagents() -> None:
    copies = graph.copy(update={"checkpointer": InMemorySaver()}), ServedGraph.of(graph), graph.with_config(tags=["a"])
    for copy in copies:
        assert [name for name, _ in copy.get_subgraphs()] == ["document-agent"]
        assert "document-agent" in copy.get_graph().nodes


async def test_a_subagents_state_is_read_by_its_checkpoint_namespace(
    settings: Settings,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    acting: Callable[[Caller], dict[str, Any]],
) -> None:
    await add_file("lease.txt", LEASE)
    saver = InMemorySaver()
    system = build_graph(settings).copy(update={"checkpointer": saver})
    config: Any = acting(ada)
    config["configurable"]["thread_id"] = thread = str(uuid4())
    context = RunContext(matter_id=matter["id"])
    await system.ainvoke({"messages": [HumanMessage("What is the notice period for termination?")]}, config, context=context)
    inner = next(namespace for namespace in saver.storage[thread] if namespace.startswith("tools:"))
    state = await system.aget_state({"configurable": {"thread_id": thread, "checkpoint_ns": inner}})
    assert "notice" in state.values["messages"][-1].text
