"""What the models are told, word for word, so that a change of a prompt or a tool's schema is seen in review.

Meant changes are written down with `SNAPSHOTS=write pytest tests/integration/test_snapshots.py`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from integration.test_graph import delegating, run
from orderly.agent.middleware.briefing import RunContext
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.scripted_model import tool_names

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
CHANGING = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "<code>"),
    (re.compile(r"[A-Z][a-z]+day, \d{1,2} [A-Z][a-z]+ \d{4}"), "<date>"),
    (re.compile(r"M-\d{4}-\d{3}"), "<matter number>"),
)


@pytest.fixture
async def requests(
    settings: Settings, services: Services, ada: Caller, acting: Callable[[Caller], dict[str, Any]], matter: dict[str, Any],
    add_file: Any,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """The first request to the model of each agent, about a bound matter with one document."""
    await add_file("lease.txt", "1. Rent\nThe Lessee pays a rent of $1,000 a month.\n")
    script = delegating(lambda _: "Done.", lambda _: "Report.")
    _, model = await run(settings, script, acting(ada), "What is the rent?", RunContext(matter_id=matter["id"]))
    orchestrator = next(request for request in model.requests if "task" in tool_names(request))
    document_agent = next(request for request in model.requests if "task" not in tool_names(request))
    return {"orchestrator": orchestrator, "document-agent": document_agent}


def settled(text: str) -> str:
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


def told(request: dict[str, Any]) -> str:
    messages = [f"## {m['role']}\n\n{_text(m['content'])}\n" for m in request["messages"]]
    return settled("\n".join(messages))


def schemas(request: dict[str, Any]) -> str:
    tools = sorted((tool["function"] for tool in request["tools"]), key=lambda tool: str(tool["name"]))
    return json.dumps(tools, indent=2, ensure_ascii=False) + "\n"


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@pytest.mark.parametrize("agent", ["orchestrator", "document-agent"])
async def test_what_the_models_are_told_is_what_was_reviewed(requests: dict[str, dict[str, Any]], agent: str) -> None:
    for name, now in ((f"{agent}.md", told(requests[agent])), (f"{agent}.tools.json", schemas(requests[agent]))):
        path = SNAPSHOTS / name
        if os.environ.get("SNAPSHOTS") == "write":
            path.write_text(now, encoding="utf-8")
        assert now == path.read_text(encoding="utf-8"), f"{name} has changed"
