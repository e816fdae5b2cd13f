"""The HTTP application that langgraph.json names; everything is in `orderly.api`."""

from orderly.api.app import app

__all__ = ["app"]
