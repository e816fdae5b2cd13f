"""Run the graph once for a caller, from a program: the same graph that the server serves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from orderly.agent.middleware.briefing import RunContext
from orderly.errors import Invalid
from orderly.models import Caller
from orderly.sign_in.identity import USER_KEY, seal
from orderly.wiring.services import Services

Watch = Callable[[str], None]
Choose = Callable[[dict[str, Any]], str]


class Unclear(Invalid):
    """The run cannot go on before somebody says which matter is meant."""

    def __init__(self, question: dict[str, Any]) -> None:
        lines = (f"- {choice['number']} {choice['title']}" for choice in question["choices"])
        super().__init__("\n".join([str(question["question"]), *lines]))


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    citations: list[dict[str, Any]]
    seconds: float
    run_id: str
    """Under which the record keeps it."""


async def ask(
    graph: CompiledStateGraph[Any, RunContext, Any, Any],
    services: Services,
    caller: Caller,
    question: str,
    *,
    context: RunContext,
    watch: Watch = lambda step: None,
    choose: Choose | None = None,
) -> Answer:
    """The answer is returned when it has passed the citation gate.

    Args:
        graph: As `build_graph` makes it.
        services: Those whose secret seals the caller.
        caller: Who asks.
        question: In plain language.
        context: What the run is about.
        watch: Hears of every tool call as it is made.
        choose: Answers when the run asks which matter is meant: from the question's JSON to the number or id of one.

    Raises:
        Unclear: the run asks which matter is meant, and there is nobody to answer.
    """
    began = time.perf_counter()
    waiting = graph.copy(update={"checkpointer": InMemorySaver()})
    config: Any = {
        "configurable": {
            USER_KEY: seal(caller.user_id, services.secret),
            "thread_id": str(uuid4()),
            "run_id": (run_id := str(uuid4())),
        }
    }
    given: Any = {"messages": [HumanMessage(question)]}
    while True:
        final = await _run(waiting, given, config, context, watch)
        asked = final.get("__interrupt__")
        if not asked:
            break
        if choose is None:
            raise Unclear(asked[0].value)
        given = Command(resume=choose(asked[0].value))
    answer = final["messages"][-1]
    return Answer(answer.text, list(final.get("citations") or []), time.perf_counter() - began, run_id)


async def _run(graph: Any, given: Any, config: Any, context: RunContext, watch: Watch) -> dict[str, Any]:
    final: dict[str, Any] = {}
    async for namespace, mode, data in graph.astream(
        given, config, context=context, stream_mode=["updates", "values"], subgraphs=True
    ):
        if mode == "values" and not namespace:
            final = data
        elif mode == "updates":
            for step in _tool_calls(data):
                watch(step)
    return final


def _tool_calls(update: dict[str, Any]) -> list[str]:
    messages = [m for part in update.values() if isinstance(part, dict) for m in part.get("messages") or []]
    return [_described(call) for m in messages if isinstance(m, AIMessage) for call in m.tool_calls]


def _described(call: Any) -> str:
    arguments = call["args"]
    detail = arguments.get("question") or arguments.get("query") or arguments.get("description", "").split("\n")[-1]
    return f"{call['name']}: {detail}" if detail else str(call["name"])
