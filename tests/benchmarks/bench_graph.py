"""Overhead of a run apart from the model: `python tests/benchmarks/bench_graph.py`.

One question with a model that answers at once, one subagent and its three tool calls, in Orderly's graph and in a hand-written
`StateGraph` with the same tools. Orderly's graph also looks up the caller's matters, checks the egress policy before each model
call, counts calls, fences results, checks quotations and records the answer. Both run alternately in one process without a checkpointer.
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

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.tools import ALL_TOOLS
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.sign_in.identity import USER_KEY, seal
from orderly.wiring.services import Services, open_operator, open_services

ROUNDS = 60
TARGETS = (3.2, 2.0, 2.0)
"""Most of the time of a graph by hand, by the clock: tools that do nothing, browse, search."""
CONTRACT = Path(__file__).parents[2] / "evals/small/contracts/SPORTHALEYINC_09_29_1997-EX-10.2-10-ENDORSEMENT_AGREEMENT.txt"

Calls = tuple[tuple[str, dict[str, Any]], ...]

THINKING: Calls = tuple(("think_tool", {"reflection": f"Thought {n}."}) for n in range(3))


def reading(matter: str, document: str) -> Calls:
    return (
        ("list_matter_documents", {"matter_id": matter}),
        ("get_info", {"id": document}),
        ("get_document_text", {"document_id": document}),
    )


def searching(matter: str, document: str) -> Calls:
    return (
        ("isaacus_search", {"matter_id": matter, "query": "Which law governs?"}),
        ("read", {"path_part_id": document}),
        ("search_keyword", {"matter_id": matter, "query": "governed"}),
    )


class InstantModel(BaseChatModel):
    """Delegates, calls its tools one after another, reports and answers, without delay."""

    calls: Calls

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
        yield ChatGenerationChunk(message=AIMessageChunk(content=reply.text, tool_call_chunks=calls))

    def _reply(self, messages: list[Any], tools: list[Any]) -> AIMessage:
        done = sum(isinstance(message, ToolMessage) for message in messages)
        if any(tool["function"]["name"] == "task" for tool in tools):
            call = {"name": "task", "args": {"description": "Think.", "subagent_type": "document-agent"}, "id": "task"}
            return AIMessage("It is done.") if done else AIMessage("", tool_calls=[call])
        if done < len(self.calls):
            name, arguments = self.calls[done]
            return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{done}"}])
        return AIMessage("Thought through.")


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def by_hand(model: InstantModel) -> Any:
    """Returns the minimal equivalent: an orchestrator whose only tool runs a second loop of model and tools."""

    def loop(tools: list[Any]) -> Any:
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

    researcher = loop([tool for tool in ALL_TOOLS if tool.name in dict(model.calls)])

    @tool
    async def task(description: str, subagent_type: str, config: RunnableConfig) -> str:
        """Hand over."""
        state = await researcher.ainvoke({"messages": [HumanMessage(description)]}, config)
        return str(state["messages"][-1].text)

    return loop([task])


async def timed(work: Callable[[], Awaitable[Any]]) -> tuple[float, float]:
    """Returns milliseconds of wall clock and of this process's CPU."""
    clock, processor = time.perf_counter(), time.process_time()
    state = await work()
    assert state["messages"][-1].text == "It is done."
    return (time.perf_counter() - clock) * 1000, (time.process_time() - processor) * 1000


async def compare(services: Services, settings: Settings, name: str, calls: Calls) -> float:
    assert services.local_user is not None
    config: Any = {"configurable": {USER_KEY: seal(services.local_user, services.secret)}}
    ours, hand = build_graph(settings, InstantModel(calls=calls)), by_hand(InstantModel(calls=calls))
    question: Any = {"messages": [HumanMessage("Think about it.")]}
    ours_ms, hand_ms = [], []
    for _ in range(ROUNDS + 5):
        ours_ms.append(await timed(lambda: ours.ainvoke(question, config, context=RunContext())))
        hand_ms.append(await timed(lambda: hand.ainvoke(question, config)))
    line, ratios = f"{name:32}", []
    for what in (0, 1):
        a, b = [t[what] for t in ours_ms[5:]], [t[what] for t in hand_ms[5:]]
        ratio = median(x / y for x, y in zip(a, b, strict=True))
        ratios.append(ratio)
        line += f"{median(b):10.1f}{median(a):8.1f}{ratio:7.2f}"
    sys.stdout.write(line + "\n")
    return ratios[0]


async def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), _env_file=None)
        async with open_services(settings) as services, open_operator(services) as operator:
            assert services.local_user is not None
            caller = Caller(services.local_user)
            matter = (await services.store.rpc(caller, "create_matter", {"title": "Agreements"}))["id"]
            document = (await operator.file_ingestor.add(caller, matter, CONTRACT)).document_id
            sys.stdout.write(f"{'ms: by hand, ours, ratio':32}{'clock':>25}{'processor':>25}\n")
            ratios = [
                await compare(services, settings, "three thoughts", THINKING),
                await compare(services, settings, "list, look at, read a document", reading(matter, document)),
                await compare(services, settings, "search, read, search for a word", searching(matter, document)),
            ]
            return 0 if all(ratio <= target for ratio, target in zip(ratios, TARGETS, strict=True)) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
