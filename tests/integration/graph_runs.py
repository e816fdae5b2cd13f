"""Runs the graph with a scripted model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.graph import build_graph
from orderly.settings import Settings
from support.scripted_model import Reply, Script, ScriptedModel, serve, texts, tool_names

Put = Callable[..., Awaitable[tuple[dict[str, Any], ScriptedModel]]]
"""Puts a question, "Go on." by default, to a script as Ada; returns the final state and the model."""


def delegating(answer: Callable[[dict[str, Any]], str], research: Callable[[dict[str, Any]], Reply]) -> Script:
    """Returns a script: the orchestrator delegates the question and then answers; `research` scripts the document agent."""

    def script(request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            return research(request)
        if reports := texts(request, "tool"):
            return answer(request) if reports else ""
        return [("task", {"description": f"Question: {texts(request, 'user')[-1]}", "subagent_type": "document-agent"})]

    return script


def once(*calls: tuple[str, dict[str, Any]], then: str) -> Callable[[dict[str, Any]], Reply]:
    """Returns an agent script that calls the tools in one message, then reports."""
    return lambda request: then if texts(request, "tool") else list(calls)


async def run(
    settings: Settings,
    script: Script,
    config: dict[str, Any],
    question: str = "Go on.",
    context: RunContext | None = None,
    **changed: Any,
) -> tuple[dict[str, Any], ScriptedModel]:
    """Asks one question of the graph with a scripted model; returns the final state and the model."""
    with serve(script) as model:
        changed = {"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url, **changed}
        graph = build_graph(settings.model_copy(update=changed))
        state = await graph.ainvoke({"messages": [HumanMessage(question)]}, config, context=context or RunContext())
    return state, model
