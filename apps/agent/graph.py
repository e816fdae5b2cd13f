"""The server loads this file by its path; the module itself is loaded once, by its name."""

from orderly.graph import graph

__all__ = ["graph"]
