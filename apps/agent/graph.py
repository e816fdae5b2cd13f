"""The graph for servers that load a file by path. Importing the module by name ensures that it is loaded once."""

from orderly.graph import graph

__all__ = ["graph"]
