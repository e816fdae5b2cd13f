"""Draws the system as LangGraph Studio shows it, with the orchestrator and each subagent as nodes.

deepagents runs a subagent inside the tools step, as the `task` tool, where LangGraph's drawing does not find it. `SystemGraph`
adds the subagents to the drawing and to the list of subgraphs. Runs, events and checkpoints are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.graph import Graph, Node
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.protocol import PregelProtocol

ORCHESTRATOR = "orchestrator"
"""Name of the model node in the drawing."""

MODEL, TOOLS = "model", "tools"
"""Node names of `create_agent`, also used in the events of a run."""

DELEGATION = "task"
"""Name of the tool that calls a subagent."""

AnyPregel = PregelProtocol[Any, Any, Any, Any]
AnyGraph = CompiledStateGraph[Any, Any, Any, Any]


class SystemGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled agent with its subagents, by name."""

    def __init__(self, *, subagents: Mapping[str, AnyGraph] | None = None, **parts: Any) -> None:
        super().__init__(**parts)
        self.subagents = subagents or {}

    @classmethod
    def of(cls, graph: AnyGraph, subagents: Mapping[str, AnyGraph] | None = None) -> Self:
        """Copies `graph` with `subagents`; None: with the subagents of `graph`."""
        parts = {name: part for name, part in vars(graph).items() if name != "__orig_class__"}
        return cls(**parts | ({} if subagents is None else {"subagents": subagents}))

    def get_graph(self, config: RunnableConfig | None = None, *, xray: int | bool = False) -> Graph:
        return self._add_subagents(super().get_graph(config), config, xray)

    async def aget_graph(self, config: RunnableConfig | None = None, *, xray: int | bool = False) -> Graph:
        return self._add_subagents(await super().aget_graph(config), config, xray)

    def get_subgraphs(self, *, namespace: str | None = None, recurse: bool = False) -> Iterator[tuple[str, AnyPregel]]:
        """Yields subagents by name. The namespace `tools` selects them too, because their checkpoints are in this namespace."""
        for name, subagent in self.subagents.items():
            if namespace in (None, name, TOOLS):
                yield namespace or name, subagent

    def _add_subagents(self, drawn: Graph, config: RunnableConfig | None, xray: int | bool) -> Graph:
        if not self.subagents:
            return drawn
        drawn = _rename_node(drawn, MODEL, ORCHESTRATOR)
        orchestrator = drawn.nodes[ORCHESTRATOR]
        for name, subagent in self.subagents.items():
            first, last = _add_subagent(drawn, name, subagent, config, xray)
            drawn.add_edge(orchestrator, first, DELEGATION, conditional=True)
            drawn.add_edge(last, orchestrator)
        return drawn


def mermaid(graph: SystemGraph) -> str:
    """Draws `graph` in Mermaid with the steps of the subagents and without tool names."""
    drawn = graph.get_graph(xray=True)
    nodes = {id: node._replace(metadata=None) for id, node in drawn.nodes.items()}
    return Graph(nodes, drawn.edges).draw_mermaid()


def _rename_node(drawn: Graph, old: str, new: str) -> Graph:
    nodes = {
        new if id == old else id: node._replace(id=new, name=new) if id == old else node for id, node in drawn.nodes.items()
    }
    edges = [
        edge._replace(source=new if edge.source == old else edge.source, target=new if edge.target == old else edge.target)
        for edge in drawn.edges
    ]
    return Graph(nodes, edges)


def _add_subagent(
    drawn: Graph, name: str, subagent: AnyGraph, config: RunnableConfig | None, xray: int | bool
) -> tuple[Node, Node]:
    """Adds a subagent as one node, or with `xray` as its own nodes. Returns the first and the last added node."""
    if not xray:
        node = drawn.add_node(subagent, name)
        return node, node
    inner = subagent.get_graph(config, xray=xray if xray is True else xray - 1)
    inner.trim_first_node()
    inner.trim_last_node()
    first, last = drawn.extend(inner, prefix=name)
    assert first is not None and last is not None
    return first, last
