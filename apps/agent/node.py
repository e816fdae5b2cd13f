"""What the production server loads by its path: the graph as such a server needs it."""

from orderly.aegra.served_graph import ServedGraph
from orderly.graph import graph as plain

graph = ServedGraph.of(plain)

__all__ = ["graph"]
