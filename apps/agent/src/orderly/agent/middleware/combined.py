"""Several middlewares as one, the first outermost.

LangChain opens a span and passes a result on for every wrapper that it is given, whether or not anything is traced, and makes
every other hook a step of the graph with a checkpoint of its own. Ten wrappers around each call cost more than what they do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

STEPS = ("before_agent", "before_model", "after_model", "after_agent")

Part = AgentMiddleware[Any, Any]


class Together(AgentMiddleware[Any, Any]):
    """Takes what only wraps calls of models and tools.

    Args:
        state_schema: what the parts keep in the state, as one type.
    """

    def __init__(self, parts: Sequence[Part], state_schema: type[AgentState[Any]]) -> None:
        super().__init__()
        if steps := [f"{part.name}.{hook}" for part in parts for hook in STEPS if _has(part, hook) or _has(part, f"a{hook}")]:
            raise AssertionError(f"these would be left out: {', '.join(steps)}")
        self.state_schema = state_schema
        self.tools = [tool for part in parts for tool in getattr(part, "tools", ())]
        self._around_models = [part for part in reversed(parts) if _has(part, "awrap_model_call")]
        self._around_tools = [part for part in reversed(parts) if _has(part, "awrap_tool_call")]

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        updates: dict[str, Any] = {}
        call: Any = handler
        for part in self._around_models:
            call = partial(_passed_on, part, call, updates)
        response: ModelResponse[Any] = await call(_Request.of(request))
        return ExtendedModelResponse(response, Command(update=updates)) if updates else response

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call: Any = handler
        for part in self._around_tools:
            call = partial(part.awrap_tool_call, handler=call)
        result: ToolMessage | Command[Any] = await call(request)
        return result


class _Request(ModelRequest[Any]):
    """Overridden by copying: nearly every part overrides, and the original's constructor silences warnings anew each time."""

    @classmethod
    def of(cls, request: ModelRequest[Any]) -> _Request:
        copied = object.__new__(cls)
        vars(copied).update(vars(request))
        return copied

    def override(self, **overrides: Any) -> ModelRequest[Any]:
        if overrides.keys() - vars(self).keys():
            return super().override(**overrides)  # what only the constructor translates, or refuses
        copied = self.of(self)
        vars(copied).update(overrides)
        return copied


async def _passed_on(part: Part, inner: Any, updates: dict[str, Any], request: ModelRequest[Any]) -> ModelResponse[Any]:
    """What goes outwards is the bare response; what the part keeps in the state goes to `updates`."""
    response: Any = await part.awrap_model_call(request, inner)
    if not isinstance(response, ExtendedModelResponse):
        return cast(ModelResponse[Any], response)
    if response.command is not None:
        updates.update(response.command.update or {})
    return response.model_response


def _has(part: Part, hook: str) -> bool:
    return getattr(type(part), hook) is not getattr(AgentMiddleware, hook)
