"""Runs the graph for questions of a caller, without a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from orderly.agent.middleware.answer_record import cited_in
from orderly.agent.middleware.found_so_far import STOPPED
from orderly.agent.middleware.gated_chat_model import CHECKS
from orderly.agent.middleware.run_context import RunContext
from orderly.errors import Invalid
from orderly.models import Caller
from orderly.sign_in.identity import USER_KEY, seal
from orderly.wiring.services import Services

NOT_KEPT = "(This answer was shown and is not kept. Look again at what the documents say.)"
Watch = Callable[[str], None]
Choose = Callable[[dict[str, Any]], str]


class Unclear(Invalid):
    """The run needs the user to name the matter."""

    def __init__(self, question: dict[str, Any]) -> None:
        lines = (f"- {choice['number']} {choice['title']}" for choice in question["choices"])
        super().__init__("\n".join([str(question["question"]), *lines]))


@dataclass(slots=True)
class Usage:
    """Calls to the chat model of one run."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Part of `input_tokens` that the endpoint had cached."""
    seen: set[str | None] = field(default_factory=set)
    """Ids of the messages, because a message that a middleware changes is reported again."""

    def add(self, message: AIMessage) -> None:
        if message.id in self.seen:
            return
        self.seen.add(message.id)
        self.requests += 1
        if used := message.usage_metadata:
            self.input_tokens += used["input_tokens"]
            self.output_tokens += used["output_tokens"]
            self.cached_tokens += used.get("input_token_details", {}).get("cache_read", 0)


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    citations: list[dict[str, Any]]
    """Citations that the answer rests on. `standing`: shown as the answer, as likely, or as a nearest passage."""
    seconds: float
    run_id: str
    """Id of the run in the audit record."""
    usage: Usage
    stopped: str | None = None
    """Code of the failure, if the chat model did not finish the answer; the text says why, and what was found."""
    checks: list[dict[str, Any]] = field(default_factory=list)
    """The verdict on each span of the text: {start, end, verdict, reason, citations, place}, offsets in code points."""


@dataclass(slots=True)
class Conversation:
    """Questions that share one thread, in memory.

    Args:
        earlier: Messages of a conversation that is continued.
    """

    earlier: list[AnyMessage] = field(default_factory=list)
    thread_id: str = field(default_factory=lambda: str(uuid4()))
    checkpoints: InMemorySaver = field(default_factory=InMemorySaver)

    @classmethod
    def after(cls, questions: Sequence[str]) -> Conversation:
        """Continues after questions whose answers are not kept."""
        return cls([HumanMessage(question) for question in questions])


async def ask(
    graph: CompiledStateGraph[Any, RunContext, Any, Any],
    services: Services,
    caller: Caller,
    question: str,
    *,
    context: RunContext,
    watch: Watch = lambda step: None,
    choose: Choose | None = None,
    conversation: Conversation | None = None,
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
        conversation: The conversation that the question continues; None: one of its own.

    Raises:
        Unclear: The run asks which matter is meant, and `choose` is None.
    """
    began, run_id, usage = time.perf_counter(), str(uuid4()), Usage()
    conversation = conversation or Conversation()
    resumable = graph.copy(update={"checkpointer": conversation.checkpoints})
    identity = {
        USER_KEY: seal(caller.user_id, services.secret, matters=caller.kept_to),
        "thread_id": conversation.thread_id,
        "run_id": run_id,
    }
    earlier, conversation.earlier = conversation.earlier, []
    if earlier:
        context = replace(context, earlier_answers=[NOT_KEPT] * len(earlier))
    run_input: Any = {"messages": [*earlier, HumanMessage(question)]}
    while True:
        final = await _run(resumable, run_input, {"configurable": identity}, context, watch, usage)
        interrupts = final.get("__interrupt__")
        if not interrupts:
            return _answer(final, time.perf_counter() - began, run_id, usage)
        if choose is None:
            raise Unclear(interrupts[0].value)
        run_input = Command(resume=choose(interrupts[0].value))


def _answer(final: dict[str, Any], seconds: float, run_id: str, usage: Usage) -> Answer:
    last = final["messages"][-1]
    citations = cited_in(last.additional_kwargs, final.get("citations") or ())
    stopped = last.additional_kwargs.get(STOPPED, {}).get("code")
    return Answer(last.text, citations, seconds, run_id, usage, stopped, last.additional_kwargs.get(CHECKS) or [])


async def _run(graph: Any, run_input: Any, config: Any, context: RunContext, watch: Watch, usage: Usage) -> dict[str, Any]:
    """Runs the graph until it ends or interrupts. Returns the last state."""
    final: dict[str, Any] = {}
    async for namespace, mode, data in graph.astream(
        run_input, config, context=context, stream_mode=["updates", "values"], subgraphs=True
    ):
        if mode == "values" and not namespace:
            final = data
        elif mode == "updates":
            for message in _model_messages(data):
                usage.add(message)
                for call in message.tool_calls:
                    watch(_describe(call))
    return final


def _model_messages(update: dict[str, Any]) -> list[AIMessage]:
    messages = [m for part in update.values() if isinstance(part, dict) for m in part.get("messages") or []]
    return [m for m in messages if isinstance(m, AIMessage)]


def _describe(call: Any) -> str:
    arguments = call["args"]
    detail = arguments.get("question") or arguments.get("query") or arguments.get("description", "").split("\n")[-1]
    return f"{call['name']}: {detail}" if detail else str(call["name"])
