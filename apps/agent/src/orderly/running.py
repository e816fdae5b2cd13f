"""Run the graph once for a caller, from a program: the same graph that the server serves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph.state import CompiledStateGraph

from orderly.identity import USER_KEY, seal
from orderly.middleware.briefing import RunContext
from orderly.models import Caller
from orderly.wiring import Services

Watch = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    citations: list[dict[str, Any]]
    seconds: float


async def ask(
    graph: CompiledStateGraph[Any, RunContext, Any, Any],
    services: Services,
    caller: Caller,
    question: str,
    *,
    context: RunContext,
    watch: Watch = lambda step: None,
) -> Answer:
    """`watch` hears of every tool call as it is made. The answer is returned when it has passed the citation gate."""
    began = time.perf_counter()
    config: Any = {"configurable": {USER_KEY: seal(caller.user_id, services.secret)}}
    state: Any = {"messages": [HumanMessage(question)]}
    final: dict[str, Any] = {}
    stream: Any = graph.astream(state, config, context=context, stream_mode=["updates", "values"], subgraphs=True)
    async for namespace, mode, data in stream:
        if mode == "values" and not namespace:
            final = data
        elif mode == "updates":
            for step in _tool_calls(data):
                watch(step)
    answer = final["messages"][-1]
    return Answer(answer.text, list(final.get("citations") or []), time.perf_counter() - began)


def _tool_calls(update: dict[str, Any]) -> list[str]:
    messages = [m for part in update.values() if isinstance(part, dict) for m in part.get("messages") or []]
    return [_described(call) for m in messages if isinstance(m, AIMessage) for call in m.tool_calls]


def _described(call: Any) -> str:
    arguments = call["args"]
    detail = arguments.get("question") or arguments.get("query") or arguments.get("description", "").split("\n")[-1]
    return f"{call['name']}: {detail}" if detail else str(call["name"])
