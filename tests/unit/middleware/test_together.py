"""What stands around calls can be put together; what is a step of its own can't, and would be lost without a word."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware, AgentState, TodoListMiddleware

from orderly.middleware.together import Together


class Around(AgentMiddleware[Any, Any]):
    def __init__(self, mark: str) -> None:
        super().__init__()
        self.mark = mark

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return f"{self.mark}({await handler(request + self.mark)})"

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return f"{self.mark}[{await handler(request + self.mark)}]"


async def test_the_first_stands_outermost() -> None:
    both: Any = Together([Around("a"), Around("b")], AgentState)

    async def handler(request: str) -> str:
        return request

    assert await both.awrap_model_call("", handler) == "a(b(ab))"
    assert await both.awrap_tool_call("", handler) == "a[b[ab]]"


def test_a_part_with_a_step_of_its_own_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"TodoListMiddleware\.after_model"):
        Together([Around("a"), TodoListMiddleware()], AgentState)
