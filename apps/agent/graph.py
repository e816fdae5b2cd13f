"""Entry point that the server loads by path. It re-exports by name, so that the module is loaded only once."""

from orderly.graph import graph

__all__ = ["graph"]
