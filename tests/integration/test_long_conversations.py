"""The limit of a conversation's length holds for few, long messages too: results of tools of forty thousand tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.scripted_model import Reply, serve, texts

LIMIT = 100_000
WORDS = 8_000
"""Words of a result, of twenty characters each: forty thousand tokens."""

Acting = Callable[[Caller], dict[str, Any]]


def result(number: int, call: str) -> ToolMessage:
    return ToolMessage(
        " ".join(f"result-{number}-word-{n:05}" for n in range(WORDS)), name="get_document_text", tool_call_id=call
    )


def calls(first: int, last: int) -> AIMessage:
    """Calls whose results have the numbers from `first`."""
    return AIMessage(
        "",
        tool_calls=[
            {"name": "get_document_text", "args": {"document_id": str(n)}, "id": f"call-{n}"} for n in range(first, last)
        ],
    )


QUESTION = HumanMessage("What is the rent in all of them?")
AT_ONCE = [QUESTION, calls(0, 4), *(result(n, f"call-{n}") for n in range(4))]
ONE_BY_ONE = [QUESTION, *(m for n in range(4) for m in (calls(n, n + 1), result(n, f"call-{n}")))]
BEFORE = [HumanMessage("Which leases are there?"), AIMessage("There are four.")]


@pytest.mark.parametrize("messages", [AT_ONCE, ONE_BY_ONE, [*BEFORE, *AT_ONCE], [*BEFORE, *ONE_BY_ONE]])
async def test_long_results_keep_to_the_limit_and_every_word_is_read_or_summarised(
    settings: Settings, services: Services, ada: Caller, acting: Acting, messages: list[AnyMessage]
) -> None:
    steps: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        asked = texts(request, "user")[-1]
        if asked.startswith("Summarise"):
            steps.append(asked)
            return f"Step {len(steps)}: nothing on rent."
        return "Done."

    with serve(script) as model:
        used = {"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url, "context_tokens": LIMIT}
        graph = build_graph(settings.model_copy(update=used))
        state = await graph.ainvoke({"messages": messages}, acting(ada), context=RunContext())
    [answered] = [r for r in model.requests if not texts(r, "user")[-1].startswith("Summarise")]
    read = json.dumps(answered["messages"])
    assert len(read) / 4 < LIMIT
    assert max(map(len, steps)) / 4 < LIMIT
    assert texts(answered, "user")[-1] == QUESTION.text, "the question stays as it is"
    assert state["messages"][-1].text.endswith("Done.")
    whole = {n for n in range(4) if len(set(re.findall(rf"result-{n}-word-\d{{5}}", read))) == WORDS}
    summarised = {n for n in range(4) if len(set(re.findall(rf"result-{n}-word-\d{{5}}", " ".join(steps)))) == WORDS}
    assert whole | summarised == {0, 1, 2, 3} and not whole & summarised
    assert all(f"result-{n}-word" not in read for n in summarised), "a result is read whole or not at all"
    told = len(re.findall(r"\[Summary of the result, which has 159,999 characters\.", read))
    assert told == len(summarised) or "Here is a summary of the conversation to date" in read
