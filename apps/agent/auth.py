"""The server loads this file by its path; the module itself is loaded once, by its name."""

from orderly.sign_in.langgraph_auth import auth

__all__ = ["auth"]
