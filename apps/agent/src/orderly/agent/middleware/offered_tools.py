"""Which tools a model is offered: a few by default, the others when the work needs them.

A tool that is not offered still runs when a model calls it; only `ToolGrants` withholds tools.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from orderly.agent.middleware.citation_gate import is_of_user
from orderly.agent.middleware.run_context import RunContext, context_of
from orderly.agent.middleware.todos import WRITE_TODOS

NEEDS = {
    "view_page": r"sign(?:ed|atures?)|stamp|seal(?:ed)?|draw(?:n|ings?)|diagram|photo|picture|image|handwrit|looks?\b",
    "visual_search": r"sign(?:ed|atures?)|stamp|seal(?:ed)?|drawing|diagram|photo|picture|image|handwrit|(?:site|floor) plan",
    "list_contents": r"folders?",
    "find": r"folders?|find the (?:file|document|matter)",
    "get_info": r"legib|readab|unread|OCR|scan|health",
    "search_keyword": r"words?\b|phrases?|mention|occur|appear|how (?:often|many)|count|exact|every\b|anywhere|defin|keyword",
    "get_document_text": r"(?:full|whole|entire|complete) (?:text|document|agreement|contract)",
    "resolve_citation": r"(?:verif|check|confirm)\w*\b[^.?!]{0,40}\b(?:quot|cit|word)",
    "read_review": r"reviews?\b|columns?\b|(?:review )?table\b|due diligence",
    "list_matters": r"matters\b|all (?:my|our|the) (?:files|cases)",
}
"""Words of a question, by the tool that they call for."""

PASTED = 10_000
"""Characters at each end of a message that are read for words of a tool; what stands between is a text that was pasted."""
LONG_MESSAGE = 600
LONG_PARTS = 3
"""Characters, and question marks or list items, of a message from which the work is long and gets a to-do list."""

_NEEDS = {name: re.compile(rf"\b(?:{words})", re.IGNORECASE) for name, words in NEEDS.items()}
_PART = re.compile(r"\?|^[^\S\n]*+(?:[-*•]|\d+[.)]|\([a-z]\))\s", re.MULTILINE)


class OfferedTools(AgentMiddleware[Any, RunContext]):
    """Offers the default tools first, in a fixed order, then those that the run or the conversation calls for.

    A further tool is offered if the run's context names it or asks for all tools, if the user's words call for it (`NEEDS`),
    or if the conversation names it, such as a tool's result that says how to go on.

    Args:
        default: Names of the tools that are always offered.
        tools: Tools that this middleware registers with the agent.
    """

    def __init__(self, default: Sequence[str], tools: Sequence[BaseTool] = ()) -> None:
        super().__init__()
        self._default = tuple(default)
        self.tools = list(tools)

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        context = context_of(request.runtime)
        wanted = frozenset(context.tools or ()) | needed_tools(request.messages)
        others = [tool for tool in request.tools if _name(tool) not in self._default]
        default = {_name(tool): tool for tool in request.tools if _name(tool) in self._default}
        offered = [default[name] for name in self._default if name in default]
        offered += [tool for tool in others if context.document_tools or _name(tool) in wanted]
        return await handler(request.override(tools=offered))


def needed_tools(messages: Sequence[BaseMessage]) -> frozenset[str]:
    """Names of the tools that the words of a conversation call for."""
    of_user = [m.text for m in messages if is_of_user(m)]
    asked = [text if len(text) <= 2 * PASTED else f"{text[:PASTED]}\n{text[-PASTED:]}" for text in of_user]
    needed = {name for name, words in _NEEDS.items() if any(words.search(text) for text in asked)}
    needed |= _NAMES & {name for message in messages for name in _tool_names(message)}
    if of_user and (len(of_user[-1]) >= LONG_MESSAGE or len(_PART.findall(asked[-1])) >= LONG_PARTS):
        needed.add(WRITE_TODOS)
    return frozenset(needed)


_NAMES = frozenset({*NEEDS, "read_around", "think_tool", WRITE_TODOS})
"""Tools that are offered when the conversation names them. `find` and `read` are words too, and are offered otherwise."""

_DISTINCT = frozenset(name for name in _NAMES if "_" in name)
"""Names that are not words too."""


def _tool_names(message: BaseMessage) -> list[str]:
    """Returns the tools that a message calls, and those that its text names."""
    called = [call["name"] for call in message.tool_calls] if isinstance(message, AIMessage) else []
    text = message.text
    return [*called, *(name for name in _DISTINCT if name in text)]


def _name(tool: Any) -> str:
    return str(tool.name if isinstance(tool, BaseTool) else tool.get("name", ""))
