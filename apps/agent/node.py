"""What the production server loads by its path: the graph as such a server needs it."""

from orderly.graph import graph as plain
from orderly.served_graph import ServedGraph

graph = ServedGraph.of(plain)

__all__ = ["graph"]
