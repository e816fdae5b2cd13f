"""Prompt tokens of the graph against a single agent with all tools: `python tests/benchmarks/bench_context.py`.

Ten questions about several documents each, asked in one conversation, and each in a new conversation. The model is
scripted: it makes the same calls in both, with real results of the product, and repeats in its answer the exact
answers found. A token is counted as four characters of the request: messages and tool schemas.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).parents[1]))

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.tools import DOCUMENT_TOOLS, OVERVIEW_TOOLS
from orderly.graph import DOCUMENT_AGENT_INSTRUCTIONS, build_graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.sign_in.identity import USER_KEY, seal
from orderly.wiring.services import Services, open_operator, open_services
from support.scripted_model import Reply, ScriptedModel, serve, texts, tool_names

CONTRACTS = Path(__file__).parents[2] / "evals" / "small" / "contracts"
SUBJECTS = (
    "governing law", "termination on notice", "limitation of liability", "assignment", "confidentiality",
    "renewal", "insurance", "indemnity", "audit rights", "warranties",
)  # fmt: skip
TARGETS = {True: 0.2, False: 0.9}
"""Most of one agent's tokens: in one conversation, in conversations of their own."""
LENGTH = 900
"""Length of a report in characters."""


def question_about(subject: str) -> str:
    return f"What do these agreements say about {subject}?"


def script_for(matter: str, documents: Sequence[str]) -> Callable[[dict[str, Any]], Reply]:
    """Returns a script: search, extraction from three documents, keyword search, one document's contents; then the report."""

    def research(subject: str, results: list[str]) -> Reply:
        start = SUBJECTS.index(subject)
        chosen = [documents[(start + step) % len(documents)] for step in range(3)]
        asked = question_about(subject)
        steps: list[Reply] = [
            [("isaacus_search", {"matter_id": matter, "query": asked})],
            [("isaacus_extract", {"document_id": document, "question": asked}) for document in chosen],
            [("search_keyword", {"matter_id": matter, "query": subject}), ("read", {"path_part_id": chosen[0]})],
        ]
        done = {0: 0, 1: 1, 4: 2}
        if len(results) in done:
            return steps[done[len(results)]]
        return "".join(results[1:4])[:LENGTH].translate(str.maketrans("", "", "\"'“”"))

    def script(request: dict[str, Any]) -> Reply:
        messages = request["messages"]
        last = max(i for i, m in enumerate(messages) if m["role"] == "user" and str(m["content"]).startswith("What do these"))
        subject = next(s for s in SUBJECTS if question_about(s) in str(messages[last]["content"]))
        results = texts({"messages": messages[last:]}, "tool")
        if "task" not in tool_names(request):
            return research(subject, results)
        return (
            results[0] if results else [("task", {"description": question_about(subject), "subagent_type": "document-agent"})]
        )

    return script


def tokens(requests: list[dict[str, Any]]) -> int:
    return sum(len(json.dumps([r["messages"], r.get("tools", [])], ensure_ascii=False)) for r in requests) // 4


async def converse(
    agent: Any, model: ScriptedModel, config: dict[str, Any], context: RunContext | None, *, one: bool
) -> list[int]:
    """Returns the prompt tokens of each question."""
    spent = []
    for number, subject in enumerate(SUBJECTS):
        model.requests.clear()
        thread = {"configurable": {**config["configurable"], "thread_id": "one" if one else str(number)}}
        named = {"context": context} if context else {}
        state = await agent.ainvoke({"messages": [HumanMessage(question_about(subject))]}, thread, **named)
        assert state["messages"][-1].text
        spent.append(tokens(model.requests))
    return spent


async def compare(services: Services, settings: Settings, caller: Caller) -> int:
    """Returns 0 if the targets are met."""
    matter = (await services.store.rpc(caller, "create_matter", {"title": "Agreements"}))["id"]
    async with open_operator(services) as operator:
        paths = sorted(CONTRACTS.glob("*.txt"))
        documents = [(await operator.file_ingestor.add(caller, matter, path)).document_id for path in paths]
    config = {"configurable": {USER_KEY: seal(caller.user_id, services.secret)}}
    with serve(script_for(matter, documents)) as model:
        endpoint = {"openai_api_key": SecretStr("bench"), "openai_base_url": model.base_url}
        chat = ChatOpenAI(model="scripted", api_key=SecretStr("bench"), base_url=model.base_url)
        tools = list({tool.name: tool for tool in (*OVERVIEW_TOOLS, *DOCUMENT_TOOLS)}.values())
        missed = 0
        sys.stdout.write(f"{'':34}{'ours':>9}{'one agent':>11}{'ratio':>7}\n")
        for one, name in ((True, "ten questions in one conversation"), (False, "each in a conversation of its own")):
            ours = build_graph(settings.model_copy(update=endpoint))
            ours.checkpointer = InMemorySaver()
            single = create_agent(
                chat, tools, system_prompt=DOCUMENT_AGENT_INSTRUCTIONS, checkpointer=InMemorySaver(), context_schema=RunContext
            )
            a = await converse(ours, model, config, RunContext(matter_id=matter), one=one)
            b = await converse(single, model, config, None, one=one)
            sys.stdout.write(f"{name:34}{sum(a):>9,}{sum(b):>11,}{sum(a) / sum(b):>7.2f}\n")
            missed |= sum(a) / sum(b) > TARGETS[one]
            for subject, ours_, theirs in zip(SUBJECTS, a, b, strict=True):
                sys.stdout.write(f"  {subject:32}{ours_:>9,}{theirs:>11,}{ours_ / theirs:>7.2f}\n")
        return missed


async def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), _env_file=None)
        async with open_services(settings) as services:
            assert services.local_user is not None
            return await compare(services, settings, Caller(services.local_user))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
