"""How every tool is declared: arguments from the docstring, content for the model beside an artifact for the graph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.tools import BaseTool, tool

from orderly.agent.tools.errors import speaks_errors
from orderly.agent.tools.time_limits import within_time
from orderly.agent.tools.tool_progress import watched

Findings = list[dict[str, Any]]
"""`Passage.record()` of everything that a tool's text quotes: what the citation gate checks an answer against."""


Content = str | list[dict[str, Any]]
"""Text, or content blocks where a picture goes with it."""


def document_tool(function: Callable[..., Awaitable[tuple[Content, Findings]]]) -> BaseTool:
    """A tool that returns (text, passages).

    `await tool.ainvoke({...})` gives the text alone. In a graph the passages ride on the tool message as its artifact,
    where the citation middleware collects them. It stops at the time limit that `time_limits` has for its name.
    """
    has_arguments = "Args:" in (function.__doc__ or "")
    guarded = speaks_errors(watched(within_time(function)))
    declared: Any = tool(parse_docstring=has_arguments, response_format="content_and_artifact")(guarded)
    declared.handle_tool_error = True
    built: BaseTool = declared
    return built
