"""The decorator of all document tools: arguments from the docstring, text for the model, passages for the graph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from langchain_core.tools import BaseTool, tool

from orderly.agent.tools.arguments import lenient
from orderly.agent.tools.errors import errors_as_text
from orderly.agent.tools.references import with_names
from orderly.agent.tools.slots import with_slot
from orderly.agent.tools.time_limits import with_time_limit
from orderly.agent.tools.tool_progress import with_progress_events
from orderly.services.citations import Asking

Findings = list[dict[str, Any]]
"""`Passage.record()` of each passage in the text of a tool. The citation gate checks answers against these records."""


class AskedFindings(Findings):
    """Findings of a question that was put to documents one by one."""

    def __init__(self, records: Iterable[dict[str, Any]], asking: Asking) -> None:
        super().__init__(records)
        self.asking = asking


Content = str | list[dict[str, Any]]
"""Text, or content blocks of text and a picture."""


def document_tool(function: Callable[..., Awaitable[tuple[Content, Findings]]]) -> BaseTool:
    """Makes a tool from a coroutine that returns (text, passages).

    `await tool.ainvoke({...})` returns the text alone. In a graph, the passages are the artifact of the tool message, where
    `QuotedPassages` collects them. The tool has the time limit of its name in `time_limits.LIMITS`.
    """
    has_arguments = "Args:" in (function.__doc__ or "")
    guarded = errors_as_text(with_progress_events(with_time_limit(with_slot(with_names(function)))))
    declared: Any = tool(parse_docstring=has_arguments, response_format="content_and_artifact")(guarded)
    declared.args_schema = lenient(declared.args_schema)
    declared.handle_tool_error = True
    built: BaseTool = declared
    return built
