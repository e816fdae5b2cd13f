"""Entry point that the server loads by path. It re-exports by name, so that the module is loaded only once."""

from orderly.sign_in.langgraph_auth import auth

__all__ = ["auth"]
