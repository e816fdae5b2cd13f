"""What a run costs beside the model and the tools: `python tests/benchmarks/bench_graph.py`.

One question with a model that answers at once, one subagent and three calls of `think_tool`, in our graph and in a
`StateGraph` made by hand from nodes, edges and a tool node. Ours also looks up the caller's matters, counts calls, fences results and
checks quotations; Both without a checkpointer, in turn, in one process.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Annotated, Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode

from orderly.graph import build_graph
from orderly.identity import USER_KEY, seal
from orderly.middleware.briefing import RunContext
from orderly.settings import Settings
from orderly.tools.think_tool import think_tool
from orderly.wiring import Services, open_services

ROUNDS = 60
TARGET = 2.0
THOUGHTS = 3


class Instant(BaseChatModel):
    """Delegates, thinks three times, reports, answers."""

    @property
    def _llm_type(self) -> str:
        return "instant"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: list[Any], stop: Any = None, run_manager: Any = None, **bound: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, bound["tools"]))])

    async def _agenerate(self, messages: list[Any], stop: Any = None, run_manager: Any = None, **bound: Any) -> ChatResult:
        return self._generate(messages, **bound)

    async def _astream(
        self, messages: list[Any], stop: Any = None, run_manager: Any = None, **bound: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        reply = self._reply(messages, bound["tools"])
        calls = [{**call, "args": json.dumps(call["args"]), "index": 0} for call in reply.tool_calls]
        yield ChatGenerationChunk(message=AIMessageChunk(reply.text, tool_call_chunks=calls))

    def _reply(self, messages: list[Any], tools: list[Any]) -> AIMessage:
        done = sum(isinstance(message, ToolMessage) for message in messages)
        if any(tool["function"]["name"] == "task" for tool in tools):
            call = {"name": "task", "args": {"description": "Think.", "subagent_type": "document-agent"}, "id": "task"}
            return AIMessage("It is done.") if done else AIMessage("", tool_calls=[call])
        if done < THOUGHTS:
            thought = {"name": "think_tool", "args": {"reflection": f"Thought {done}."}, "id": f"think-{done}"}
            return AIMessage("", tool_calls=[thought])
        return AIMessage("Thought through.")


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def by_hand() -> Any:
    """The least that does the same: an orchestrator whose one tool runs a second loop of model and tools."""

    def loop(model: BaseChatModel, tools: list[Any]) -> Any:
        bound = model.bind_tools(tools)

        async def think(state: State, config: RunnableConfig) -> dict[str, Any]:
            return {"messages": [await bound.ainvoke(state["messages"], config)]}

        graph = StateGraph(State)
        graph.add_node("model", think)
        graph.add_node("tools", ToolNode(tools))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", lambda s: "tools" if s["messages"][-1].tool_calls else END)
        graph.add_edge("tools", "model")
        return graph.compile()

    researcher = loop(Instant(), [think_tool])

    @tool
    async def task(description: str, subagent_type: str, config: RunnableConfig) -> str:
        """Hand over."""
        state = await researcher.ainvoke({"messages": [HumanMessage(description)]}, config)
        return str(state["messages"][-1].text)

    return loop(Instant(), [task])


async def timed(work: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    state = await work()
    took = time.perf_counter() - start
    assert state["messages"][-1].text == "It is done."
    return took


async def compare(services: Services, settings: Settings) -> float:
    assert services.local_user is not None
    config: Any = {"configurable": {USER_KEY: seal(services.local_user, services.secret)}}
    ours, hand = build_graph(settings, Instant()), by_hand()
    question: Any = {"messages": [HumanMessage("Think about it.")]}
    ours_s, hand_s = [], []
    for _ in range(ROUNDS + 5):
        ours_s.append(await timed(lambda: ours.ainvoke(question, config, context=RunContext())))
        hand_s.append(await timed(lambda: hand.ainvoke(question, config)))
    ratio = median(a / b for a, b in zip(ours_s[5:], hand_s[5:], strict=True))
    sys.stdout.write(
        f"by hand {median(hand_s[5:]) * 1000:.1f} ms, ours {median(ours_s[5:]) * 1000:.1f} ms, ratio {ratio:.2f}\n"
    )
    return ratio


async def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), _env_file=None)
        async with open_services(settings) as services:
            return 0 if await compare(services, settings) <= TARGET else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
