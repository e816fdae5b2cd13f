"""The one place where a domain error becomes the text a model reads."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

from langchain_core.tools import ToolException

from orderly.errors import (
    Denied,
    EngineFailed,
    Invalid,
    NotFound,
    NotReady,
    OcrFailed,
    OrderlyError,
    StorageFailed,
    StoreUnavailable,
    Unreadable,
)

P = ParamSpec("P")

_TEXTS: tuple[tuple[type[OrderlyError], str], ...] = (
    (NotFound, "Error: {message}"),
    (NotReady, "{message}"),
    (Denied, "Error: {message}"),
    (Invalid, "Error: {message}"),
    (StorageFailed, "Error: Could not download document from storage."),
    (Unreadable, "Error: Could not extract text from document.\n{message}"),
    (OcrFailed, "Error: Could not extract text from document.\n{message}"),
    (EngineFailed, "Error: The legal engine gave no answer. {message}"),
    (StoreUnavailable, "Error: The document store cannot be reached just now. Try again in a moment."),
)
"""First match wins. Messages are safe by the contract of `orderly.errors`."""


def text_for(error: OrderlyError) -> str:
    """What the model is told. Those that begin with "Error:" are failures of the call, the others are findings."""
    for kind, text in _TEXTS:
        if isinstance(error, kind):
            return text.format(message=error.message).strip()
    return f"Error: {error.message}"


def speaks_errors(
    tool: Callable[P, Awaitable[tuple[Any, list[dict[str, Any]]]]],
) -> Callable[P, Awaitable[tuple[Any, list[dict[str, Any]]]]]:
    """Let a tool raise domain errors; the model and a direct caller both get `text_for` of them."""

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> tuple[Any, list[dict[str, Any]]]:
        try:
            return await tool(*args, **kwargs)
        except OrderlyError as error:
            text = text_for(error)
            if text.startswith("Error:"):
                raise ToolException(text) from error
            return text, []

    return wrapped
