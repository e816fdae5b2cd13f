"""The HTTP application for langgraph.json, implemented in `orderly.api`."""

from orderly.api.app import app

__all__ = ["app"]
