"""Runs the graph for one question of a caller, without a server."""

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
    """The run needs the user to name the matter."""

    def __init__(self, question: dict[str, Any]) -> None:
        lines = (f"- {choice['number']} {choice['title']}" for choice in question["choices"])
        super().__init__("\n".join([str(question["question"]), *lines]))


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    citations: list[dict[str, Any]]
    seconds: float
    run_id: str
    """Id of the run in the audit record."""


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
    """Runs the graph and returns the answer that passed the citation gate.

    Args:
        graph: A graph of `build_graph`.
        services: Services with the secret that seals the caller.
        caller: The user who asks.
        question: The question in plain language.
        context: Settings of the run.
        watch: Called with one line of text for each tool call.
        choose: Called when the run asks which matter is meant, with the question's JSON. Returns the number or id of a matter.

    Raises:
        Unclear: The run asks which matter is meant, and `choose` is None.
    """
    began = time.perf_counter()
    resumable = graph.copy(update={"checkpointer": InMemorySaver()})
    config: Any = {
        "configurable": {
            USER_KEY: seal(caller.user_id, services.secret),
            "thread_id": str(uuid4()),
            "run_id": (run_id := str(uuid4())),
        }
    }
    run_input: Any = {"messages": [HumanMessage(question)]}
    while True:
        final = await _run(resumable, run_input, config, context, watch)
        interrupts = final.get("__interrupt__")
        if not interrupts:
            break
        if choose is None:
            raise Unclear(interrupts[0].value)
        run_input = Command(resume=choose(interrupts[0].value))
    answer = final["messages"][-1]
    return Answer(answer.text, list(final.get("citations") or []), time.perf_counter() - began, run_id)


async def _run(graph: Any, run_input: Any, config: Any, context: RunContext, watch: Watch) -> dict[str, Any]:
    """Runs the graph until it ends or interrupts. Returns the last state."""
    final: dict[str, Any] = {}
    async for namespace, mode, data in graph.astream(
        run_input, config, context=context, stream_mode=["updates", "values"], subgraphs=True
    ):
        if mode == "values" and not namespace:
            final = data
        elif mode == "updates":
            for step in _describe_tool_calls(data):
                watch(step)
    return final


def _describe_tool_calls(update: dict[str, Any]) -> list[str]:
    messages = [m for part in update.values() if isinstance(part, dict) for m in part.get("messages") or []]
    return [_describe(call) for m in messages if isinstance(m, AIMessage) for call in m.tool_calls]


def _describe(call: Any) -> str:
    arguments = call["args"]
    detail = arguments.get("question") or arguments.get("query") or arguments.get("description", "").split("\n")[-1]
    return f"{call['name']}: {detail}" if detail else str(call["name"])
