"""After a stop, what a run had finished stays what it is: results of tools, and the passages that they found."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from orderly.agent.guarded_graph import GuardedGraph
from orderly.agent.middleware.run_context import RunContext
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.settings import Settings
from support.lease import LEASE
from support.scripted_model import Reply, Stream, serve, texts, tool_names

QUOTED = "governed by and construed in accordance with the laws of New South Wales"


async def test_a_stop_leaves_the_calls_that_had_finished(
    settings: Settings, ada: Caller, acting: Callable[[Caller], dict[str, Any]], matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
) -> None:  # fmt: skip
    """The model searches and delegates in one message; the run is stopped while the other agent works."""
    await add_file("lease.txt", LEASE)
    delegated = asyncio.Event()
    loop = asyncio.get_running_loop()

    def script(request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            loop.call_soon_threadsafe(delegated.set)
            return Stream([{"content": "Too late."}], seconds_before=2)
        if texts(request, "user")[-1] == "And now?":
            return f"It is “{QUOTED}” [lease.txt, Section 5.1]."
        return [
            ("isaacus_search", {"matter_id": matter["id"], "query": "Which law governs?"}),
            ("task", {"description": "Question: who pays?", "subagent_type": "document-agent"}),
        ]

    thread = {**acting(ada)["configurable"], "thread_id": "thread-stopped"}
    context = RunContext(matter_id=matter["id"])
    with serve(script) as model:
        with_model = settings.model_copy(update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url})
        graph = GuardedGraph.of(build_graph(with_model)).copy(update={"checkpointer": InMemorySaver()})

        async def ask(question: str, run_id: str) -> dict[str, Any]:
            config: Any = {"configurable": {**thread, "run_id": run_id}}
            return await graph.ainvoke({"messages": [HumanMessage(question)]}, config, context=context)

        stopped = asyncio.create_task(ask("Which law, and who pays?", "run-1"))
        await asyncio.wait_for(delegated.wait(), 10)
        await asyncio.sleep(0.5)
        stopped.cancel()
        await asyncio.gather(stopped, return_exceptions=True)
        answered = await ask("And now?", "run-2")
    results = {m.name: m for m in answered["messages"] if m.type == "tool"}
    assert QUOTED in results["isaacus_search"].text and results["isaacus_search"].status == "success"
    assert "did not complete" in results["task"].text
    assert [m.type for m in answered["messages"]] == ["human", "ai", "tool", "tool", "human", "ai"]
    assert answered["messages"][-1].text.startswith(f"It is “{QUOTED}” [1].")
