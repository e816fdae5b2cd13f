"""A run that names its matter reaches nothing of its user's other matters, whatever a model calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from integration.graph_runs import run
from integration.test_ask_documents import DEED, LEASE
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import ask
from orderly.agent.tools import DOCUMENT_TOOLS, OVERVIEW_TOOLS
from orderly.document_service import Operator
from orderly.graph import graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.store.functions.revisions import document_contents
from orderly.wiring.services import Services
from orderly_evaluation.model_script.costs import one_agent
from support.scripted_model import texts

Add = Callable[..., Awaitable[str]]

WORDS = ("New South Wales", "Kurrajong", "$20,000,000")
"""Words of the other matter's document."""


@pytest.fixture
async def others(services: Services, operator: Operator, ada: Caller, tmp_path: Path) -> dict[str, str]:
    """Ids of another matter of the same user, of its document, and of a section and a passage of that document."""
    other = await services.store.rpc(ada, "create_matter", {"title": "Another client's lease"})
    path = tmp_path / "Shop.txt"
    path.write_text(LEASE)
    document = (await operator.file_ingestor.add(ada, other["id"], path)).document_id
    section = (await document_contents(services.store, ada, document))["sections"][0]["id"]
    passage = (await services.library.search(ada, other["id"], "which law governs", 1)).passages[0].id
    return {"matter": other["id"], "number": other["number"], "document": document, "section": section, "passage": passage}


def calls_for(others: dict[str, str]) -> list[tuple[str, dict[str, Any]]]:
    """A call of each tool with each kind of id of the other matter that its arguments take."""
    takes = {
        "matter_id": ("matter", "number"),
        "document_id": ("document", "section", "passage"),
        "document_ids": ("document",),
        "within": ("document", "section"),
        "chunk_id": ("passage",),
        "path_part_id": ("matter", "number", "document", "section", "passage"),
    }
    plain = {"query": "governing law", "question": "Which law governs?", "name": "Shop", "quote": "the laws of New South Wales"}
    made = []
    for tool in {tool.name: tool for tool in (*OVERVIEW_TOOLS, *DOCUMENT_TOOLS)}.values():
        schema = tool.tool_call_schema.model_json_schema()  # type: ignore[union-attr]
        needed = {name: plain[name] for name in schema.get("required", ()) if name in plain}
        for name in takes.keys() & schema["properties"].keys():
            for kind in takes[name]:
                listed = "array" in str(schema["properties"][name])
                made.append((tool.name, {**needed, name: [others[kind]] if listed else others[kind]}))
    everywhere = [("isaacus_search", {"query": "governing law", "matter_id": "all"}), ("find", {"name": "Shop"})]
    return [*made, *everywhere, ("list_matters", {}), ("list_contents", {})]


@pytest.mark.parametrize("named", ["matter_id", "number", "matter_ids"])
async def test_no_tool_of_a_run_that_names_its_matter_reaches_another_one(
    settings: Settings, services: Services, ada: Caller, acting: Callable[[Caller], dict[str, Any]], matter: dict[str, Any],
    add_file: Add, others: dict[str, str], named: str,
) -> None:  # fmt: skip
    own = await add_file("Guarantee.txt", DEED)
    context = {
        "matter_id": RunContext(matter_id=matter["id"]),
        "number": RunContext(matter_id=matter["number"]),
        "matter_ids": RunContext(matter_ids=[matter["id"]]),
    }[named]
    patient = settings.model_copy(update={"tool_calls": 200})
    calls = calls_for(others)
    assert len(calls) > 30
    steps = [*([call] for call in calls), [("get_document_text", {"document_id": own})]]
    state, model = await run(patient, one_agent(steps, "Done."), acting(ada), "What is said?", context)
    results = texts(model.requests[-1], "tool")
    assert len(results) == len(steps)
    for (tool, given), told in zip(calls, results, strict=False):
        assert not [word for word in (*WORDS, "Another client") if word in told], f"{tool} {given}: {told[:300]}"
    assert "guarant" in results[-1].lower()
    assert {passage["document_id"] for passage in state["quoted"]} == {own}


async def test_the_offline_planner_answers_from_the_named_matter_alone(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, others: dict[str, str]
) -> None:
    await add_file("Guarantee.txt", DEED)
    for question in (
        f"Which law governs document {others['document']}?",
        f"Search all my matters: which law governs the Kurrajong lease? Also in {others['number']}.",
    ):
        answer = await ask(graph, services, ada, question, context=RunContext(matter_id=matter["id"]))
        assert others["document"] not in {citation["document_id"] for citation in answer.citations}
        assert not [word for word in WORDS if word in answer.text.replace(question, "")], answer.text
    free = await ask(graph, services, ada, "Which law governs Shop.txt?", context=RunContext(matter_id=others["matter"]))
    assert others["document"] in {citation["document_id"] for citation in free.citations}
