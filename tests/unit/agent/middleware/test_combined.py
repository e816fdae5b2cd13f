"""Hooks that wrap calls can be combined; middleware with a node of its own is refused, because the node would be lost."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, TodoListMiddleware
from langchain_core.language_models import FakeListChatModel

from orderly.agent.middleware.combined import Together

REQUEST: ModelRequest[Any] = ModelRequest(model=FakeListChatModel(responses=[]), messages=[])


class MarkingMiddleware(AgentMiddleware[Any, Any]):
    def __init__(self, mark: str) -> None:
        super().__init__()
        self.mark = mark

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        request = request.override(tool_choice=(request.tool_choice or "") + self.mark)
        return f"{self.mark}({await handler(request)})"

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return f"{self.mark}[{await handler(request + self.mark)}]"


async def test_the_first_middleware_is_the_outermost() -> None:
    both: Any = Together([MarkingMiddleware("a"), MarkingMiddleware("b")], AgentState)

    async def model(request: ModelRequest[Any]) -> str:
        return str(request.tool_choice)

    async def tool(request: str) -> str:
        return request

    assert await both.awrap_model_call(REQUEST, model) == "a(b(ab))"
    assert await both.awrap_tool_call("", tool) == "a[b[ab]]"
    assert REQUEST.tool_choice is None, "an override is seen by inner middleware only"


async def test_a_combined_request_accepts_and_refuses_the_same_overrides() -> None:
    class OverridingMiddleware(AgentMiddleware[Any, Any]):
        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            assert request.override(system_prompt="Be brief.").system_message.text == "Be brief."
            with pytest.raises(TypeError, match="temper"):
                request.override(temper="mild")
            return await handler(request)

    async def model(request: ModelRequest[Any]) -> str:
        return "asked"

    both: Any = Together([OverridingMiddleware()], AgentState)
    assert await both.awrap_model_call(REQUEST, model) == "asked"


def test_middleware_with_a_node_of_its_own_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"TodoListMiddleware\.after_model"):
        Together([MarkingMiddleware("a"), TodoListMiddleware()], AgentState)
