"""Snapshots of prompts and tool schemas as the models receive them, so that changes are reviewed.

Update them with `SNAPSHOTS=write pytest tests/integration/test_snapshots.py`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from integration.graph_runs import Put, delegating, run
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.rendering.brief_search import FULL_CHARACTERS
from orderly.models import Caller
from orderly.prompts import prompt
from orderly.settings import Settings
from orderly.wiring.services import Services
from orderly_evaluation.model_script.costs import one_agent
from orderly_evaluation.model_script.tokens import count_tokens, request_parts
from support.scripted_model import texts, tool_names

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
CHANGING = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"(?<=data )[a-z]{14}\b|(?<=conversation is )[a-z]{14}\b"), "<code>"),
    (re.compile(r"[A-Z][a-z]+day, \d{1,2} [A-Z][a-z]+ \d{4}"), "<date>"),
    (re.compile(r"M-\d{4}-\d{3}"), "<matter number>"),
)


@pytest.fixture
async def requests(
    settings: Settings, services: Services, ada: Caller, acting: Callable[[Caller], dict[str, Any]], matter: dict[str, Any],
    add_file: Any,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """The first model request of each agent, about a bound matter with one document."""
    await add_file("lease.txt", "1. Rent\nThe Lessee pays a rent of $1,000 a month.\n")
    script = delegating(lambda _: "Done.", lambda _: "Report.")
    _, model = await run(settings, script, acting(ada), "What is the rent?", RunContext(matter_id=matter["id"]))
    orchestrator = next(request for request in model.requests if "task" in tool_names(request))
    document_agent = next(request for request in model.requests if "task" not in tool_names(request))
    return {"orchestrator": orchestrator, "document-agent": document_agent}


def normalised(text: str) -> str:
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


def prompt_text(request: dict[str, Any]) -> str:
    messages = [f"## {m['role']}\n\n{_text(m['content'])}\n" for m in request["messages"]]
    return normalised("\n".join(messages))


def schemas(request: dict[str, Any]) -> str:
    tools = sorted((tool["function"] for tool in request["tools"]), key=lambda tool: str(tool["name"]))
    return json.dumps(tools, indent=2, ensure_ascii=False) + "\n"


def token_counts(requests: dict[str, dict[str, Any]]) -> str:
    """Tokens of the first request of each agent, which a model reads again at every call."""
    counts = {}
    for agent, request in requests.items():
        parts = [count_tokens(normalised(part)) for part in request_parts(request)]
        tools = len(request["tools"])
        counts[agent] = {"tools": sum(parts[:tools]), "system prompt": parts[tools], "messages": sum(parts[tools + 1 :])}
    return json.dumps(counts, indent=2) + "\n"


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@pytest.mark.parametrize("agent", ["orchestrator", "document-agent"])
async def test_prompts_and_tool_schemas_match_their_snapshots(requests: dict[str, dict[str, Any]], agent: str) -> None:
    for name, now in ((f"{agent}.md", prompt_text(requests[agent])), (f"{agent}.tools.json", schemas(requests[agent]))):
        path = SNAPSHOTS / name
        if os.environ.get("SNAPSHOTS") == "write":
            path.write_text(now, encoding="utf-8")
        assert now == path.read_text(encoding="utf-8"), f"{name} has changed"


async def test_prompts_have_the_tokens_of_their_snapshot(requests: dict[str, dict[str, Any]]) -> None:
    path, now = SNAPSHOTS / "tokens.json", token_counts(requests)
    if os.environ.get("SNAPSHOTS") == "write":
        path.write_text(now, encoding="utf-8")
    assert now == path.read_text(encoding="utf-8"), "the prompts have other lengths"


async def test_a_prompt_begins_with_the_prompt_before_it_and_its_own_texts_stand_last(
    put: Put, matter: dict[str, Any], add_file: Any) -> None:  # fmt: skip
    clauses = [
        f"{n}. Rent of room {n}\n" + f"The Lessee pays the rent of room {n} on the first day of a month. " * 9
        for n in range(1, 13)
    ]
    await add_file("lease.txt", "\n\n".join(clauses))
    steps = [("isaacus_search", {"query": "rent of a room"})], [("list_matter_documents", {})]
    script = one_agent(steps, "Done.")
    _, model = await put(script, "What is the rent of room 12?", RunContext(matter_id=matter["id"]))
    for earlier, later in pairwise(model.requests):
        assert later["tools"] == earlier["tools"]
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
    system = model.requests[0]["messages"][0]["content"]
    assert system.startswith(prompt("orchestrator").partition("$")[0])
    found = texts(model.requests[1], "tool")[0]
    assert "Found 10 relevant excerpts" in found
    assert FULL_CHARACTERS < len(found) < FULL_CHARACTERS + 10 * 400
    assert " …" in found
