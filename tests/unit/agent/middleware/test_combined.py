"""Combined middleware behaves as its parts in their order."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
from langchain_core.language_models import FakeListChatModel

from orderly.agent.middleware.combined import combine

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
    both: Any = combine([MarkingMiddleware("a"), MarkingMiddleware("b")], AgentState, "both")

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

    both: Any = combine([OverridingMiddleware()], AgentState, "one")
    assert await both.awrap_model_call(REQUEST, model) == "asked"


class Step(AgentMiddleware[Any, Any]):
    """A middleware with a hook before the agent and one after its model."""

    def __init__(self, key: str, log: list[str]) -> None:
        super().__init__()
        self.key, self.log = key, log

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        self.log.append(f"before {self.key}")
        return {self.key: len(state)}

    def after_model(self, state: Any, runtime: Any) -> None:
        self.log.append(f"after {self.key}")


async def test_hooks_of_one_step_run_in_langchains_order_and_their_updates_are_merged() -> None:
    log: list[str] = []
    both: Any = combine([Step("a", log), MarkingMiddleware("-"), Step("b", log)], AgentState, "both")
    assert await both.abefore_agent({}, None) == {"a": 0, "b": 0}
    assert await both.aafter_model({}, None) is None
    assert log == ["before a", "before b", "after b", "after a"]


async def test_two_updates_of_one_key_are_refused() -> None:
    both: Any = combine([Step("a", []), Step("a", [])], AgentState, "both")
    with pytest.raises(AssertionError, match="Step updates a"):
        await both.abefore_agent({}, None)


def test_only_implemented_hooks_become_nodes_of_the_graph() -> None:
    def steps(*parts: AgentMiddleware[Any, Any]) -> set[str]:
        model = FakeListChatModel(responses=[])
        nodes = create_agent(model, middleware=[combine(parts, AgentState, "both")]).get_graph().nodes
        return {name for name in nodes if name.startswith("both")}

    assert steps(MarkingMiddleware("a")) == set()
    assert steps(MarkingMiddleware("a"), Step("b", [])) == {"both.before_agent", "both.after_model"}


def test_a_hook_that_cannot_be_combined_is_refused() -> None:
    class Before(AgentMiddleware[Any, Any]):
        async def abefore_model(self, state: Any, runtime: Any) -> None: ...

    with pytest.raises(AssertionError, match=r"Before\.before_model"):
        combine([MarkingMiddleware("a"), Before()], AgentState, "both")
