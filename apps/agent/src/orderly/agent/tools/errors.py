"""Texts of domain errors for models. No other module translates errors for tools."""

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
"""First match wins. Messages of domain errors may be shown, by the contract of `orderly.errors`."""


def error_text(error: OrderlyError) -> str:
    """Returns the text of an error for the model. A text that begins with "Error:" is a failed call, any other a result."""
    for kind, text in _TEXTS:
        if isinstance(error, kind):
            return text.format(message=error.message).strip()
    return f"Error: {error.message}"


def errors_as_text(
    tool: Callable[P, Awaitable[tuple[Any, list[dict[str, Any]]]]],
) -> Callable[P, Awaitable[tuple[Any, list[dict[str, Any]]]]]:
    """Wraps a tool so that domain errors become `error_text`: a ToolException for a failed call, otherwise a result."""

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> tuple[Any, list[dict[str, Any]]]:
        try:
            return await tool(*args, **kwargs)
        except OrderlyError as error:
            text = error_text(error)
            if text.startswith("Error:"):
                raise ToolException(text) from error
            return text, []

    return wrapped
