"""Entry point that the production server loads by path: the graph, adapted to that server."""

from orderly.aegra.served_graph import ServedGraph
from orderly.graph import graph as base_graph

graph = ServedGraph.of(base_graph)

__all__ = ["graph"]
