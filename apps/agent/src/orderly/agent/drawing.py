"""Draws the system as LangGraph Studio shows it: orchestrator and subagents as nodes of their own.

deepagents runs a subagent inside the tools step, as the `task` tool, where LangGraph's drawing does not look. `SystemGraph`
adds the subagents to the drawing and to the list of subgraphs; runs, events and checkpoints stay those of the wrapped graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.graph import Graph, Node
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.protocol import PregelProtocol

ORCHESTRATOR = "orchestrator"
"""Name of the model's node in the drawing."""

MODEL, TOOLS = "model", "tools"
"""Names that `create_agent` gives its nodes; they are also the names in a run's events."""

DELEGATION = "task"
"""Tool by which the orchestrator calls a subagent."""

AnyPregel = PregelProtocol[Any, Any, Any, Any]
AnyGraph = CompiledStateGraph[Any, Any, Any, Any]


class SystemGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled agent with its subagents, by name."""

    def __init__(self, *, subagents: Mapping[str, AnyGraph] | None = None, **parts: Any) -> None:
        super().__init__(**parts)
        self.subagents = subagents or {}

    @classmethod
    def of(cls, graph: AnyGraph, subagents: Mapping[str, AnyGraph] | None = None) -> Self:
        """A copy of `graph`; without `subagents`, with those that `graph` has."""
        parts = {name: part for name, part in vars(graph).items() if name != "__orig_class__"}
        return cls(**parts | ({} if subagents is None else {"subagents": subagents}))

    def get_graph(self, config: RunnableConfig | None = None, *, xray: int | bool = False) -> Graph:
        return self._completed(super().get_graph(config), config, xray)

    async def aget_graph(self, config: RunnableConfig | None = None, *, xray: int | bool = False) -> Graph:
        return self._completed(await super().aget_graph(config), config, xray)

    def get_subgraphs(self, *, namespace: str | None = None, recurse: bool = False) -> Iterator[tuple[str, AnyPregel]]:
        """Subagents by name. A checkpoint of a subagent lies in the namespace `tools`, which gives the subagent too."""
        for name, subagent in self.subagents.items():
            if namespace in (None, name, TOOLS):
                yield namespace or name, subagent

    def _completed(self, drawn: Graph, config: RunnableConfig | None, xray: int | bool) -> Graph:
        if not self.subagents:
            return drawn
        drawn = _renamed(drawn, MODEL, ORCHESTRATOR)
        orchestrator = drawn.nodes[ORCHESTRATOR]
        for name, subagent in self.subagents.items():
            first, last = _added(drawn, name, subagent, config, xray)
            drawn.add_edge(orchestrator, first, DELEGATION, conditional=True)
            drawn.add_edge(last, orchestrator)
        return drawn


def mermaid(graph: SystemGraph) -> str:
    """The drawing with the subagents' own steps and without the tools' names, for the README."""
    drawn = graph.get_graph(xray=True)
    nodes = {id: node._replace(metadata=None) for id, node in drawn.nodes.items()}
    return Graph(nodes, drawn.edges).draw_mermaid()


def _renamed(drawn: Graph, old: str, new: str) -> Graph:
    nodes = {
        new if id == old else id: node._replace(id=new, name=new) if id == old else node for id, node in drawn.nodes.items()
    }
    edges = [
        edge._replace(source=new if edge.source == old else edge.source, target=new if edge.target == old else edge.target)
        for edge in drawn.edges
    ]
    return Graph(nodes, edges)


def _added(drawn: Graph, name: str, subagent: AnyGraph, config: RunnableConfig | None, xray: int | bool) -> tuple[Node, Node]:
    """The first and the last node of what was added: one node, or with `xray` the subagent's own nodes."""
    if not xray:
        node = drawn.add_node(subagent, name)
        return node, node
    inner = subagent.get_graph(config, xray=xray if xray is True else xray - 1)
    inner.trim_first_node()
    inner.trim_last_node()
    first, last = drawn.extend(inner, prefix=name)
    assert first is not None and last is not None
    return first, last
