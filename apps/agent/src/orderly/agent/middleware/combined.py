"""Runs a list of middleware as one, the first outermost.

LangChain opens a span for every wrapper and makes every other hook a step of the graph with a checkpoint. With twenty
middlewares these steps cost more time than the middlewares; tests/benchmarks/bench_graph.py measures it.
Limits of the combination:
- traces and Studio show one span and one step for all parts;
- the hooks of one step see the state from before the step, and two of them may not update the same key;
- hooks that jump (`jump_to`), `before_model`, `after_agent` and synchronous runs are not supported.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

Part = AgentMiddleware[Any, Any]

REFUSED_HOOKS = ("before_model", "after_agent")


def combine(parts: Sequence[Part], state_schema: type[AgentState[Any]], name: str) -> Part:
    """Combines `parts` into one middleware.

    Args:
        parts: The middlewares, the first outermost; `after_model` hooks run in reverse order, as LangChain runs them.
        state_schema: One state type with the keys of all parts.
        name: Names the steps of the graph: `<name>.before_agent`, `<name>.after_model`.

    Raises:
        AssertionError: A part has a hook that cannot be combined.
    """
    if lost := [f"{part.name}.{hook}" for part in parts for hook in REFUSED_HOOKS if _has_hook(part, hook)]:
        raise AssertionError(f"these hooks cannot be combined: {', '.join(lost)}")
    hooks = [hook for hook in ("before_agent", "after_model") if any(_has_hook(part, hook) for part in parts)]
    kind = {(): CombinedMiddleware, ("before_agent",): _WithBeforeAgent, ("after_model",): _WithAfterModel}
    return kind.get(tuple(hooks), _WithBoth)(parts, state_schema, name)


class CombinedMiddleware(AgentMiddleware[Any, Any]):
    """Combines wrappers of model and tool calls. `combine` chooses the subclass, since LangChain reads hooks from the class."""

    def __init__(self, parts: Sequence[Part], state_schema: type[AgentState[Any]], name: str) -> None:
        super().__init__()
        self.state_schema = state_schema
        self.tools = [tool for part in parts for tool in getattr(part, "tools", ())]
        self._name = name
        self._parts = tuple(parts)
        self._around_models = [part for part in reversed(parts) if _overrides(part, "awrap_model_call")]
        self._around_tools = [part for part in reversed(parts) if _overrides(part, "awrap_tool_call")]

    @property
    def name(self) -> str:
        return self._name

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        updates: dict[str, Any] = {}
        call: Any = handler
        for part in self._around_models:
            call = partial(_wrapped_model_call, part, call, updates)
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


class _WithBeforeAgent(CombinedMiddleware):
    async def abefore_agent(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return await _run_hooks("before_agent", self._parts, state, runtime)


class _WithAfterModel(CombinedMiddleware):
    async def aafter_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return await _run_hooks("after_model", self._parts[::-1], state, runtime)


class _WithBoth(_WithBeforeAgent, _WithAfterModel):
    pass


async def _run_hooks(hook: str, parts: Sequence[Part], state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
    updates: dict[str, Any] = {}
    for part in parts:
        if not _has_hook(part, hook):
            continue
        is_async = _overrides(part, f"a{hook}")
        update: Any = getattr(part, f"a{hook}" if is_async else hook)(state, runtime)
        _merge(updates, (await update if is_async else update) or {}, part)
    return updates or None


def _merge(updates: dict[str, Any], more: Mapping[str, Any], part: Part) -> None:
    if clash := updates.keys() & more.keys() or more.keys() & {"jump_to"}:
        raise AssertionError(f"{part.name} updates {', '.join(sorted(clash))}, which the combined step cannot pass on")
    updates.update(more)


class _Request(ModelRequest[Any]):
    """A request whose `override` copies attributes: `ModelRequest.override` runs a constructor that resets warning filters."""

    @classmethod
    def of(cls, request: ModelRequest[Any]) -> _Request:
        copied = object.__new__(cls)
        vars(copied).update(vars(request))
        return copied

    def override(self, **overrides: Any) -> ModelRequest[Any]:
        if overrides.keys() - vars(self).keys():
            return super().override(**overrides)  # the constructor translates or rejects other names
        copied = self.of(self)
        vars(copied).update(overrides)
        return copied


async def _wrapped_model_call(
    part: Part, inner: Any, updates: dict[str, Any], request: ModelRequest[Any]
) -> ModelResponse[Any]:
    """Returns the response without its command, whose state updates are added to `updates`."""
    response: Any = await part.awrap_model_call(request, inner)
    if not isinstance(response, ExtendedModelResponse):
        return cast(ModelResponse[Any], response)
    if response.command is not None:
        updates.update(response.command.update or {})
    return response.model_response


def _has_hook(part: Part, hook: str) -> bool:
    """Whether the part overrides the hook, synchronous or asynchronous."""
    return _overrides(part, hook) or _overrides(part, f"a{hook}")


def _overrides(part: Part, hook: str) -> bool:
    return getattr(type(part), hook) is not getattr(AgentMiddleware, hook)
