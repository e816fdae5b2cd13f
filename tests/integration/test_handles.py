"""Handles and names in place of ids, and the bound matter as the default."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from integration.graph_runs import Put
from orderly.agent import tools
from orderly.agent.middleware.run_context import RunContext
from orderly.models import Caller
from orderly.wiring.services import Services
from support.lease import LEASE
from support.scripted_model import Reply, raw_texts, texts, tool_names

Acting = Callable[[Caller], dict[str, Any]]
Add = Callable[..., Awaitable[str]]
UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
SERIAL = "7d1f1a52-0b7e-4a43-9a53-0a4f5a6a7b8c"


async def test_a_model_reads_and_writes_handles_while_the_state_keeps_the_ids(
    put: Put, matter: dict[str, Any], add_file: Add
) -> None:
    document = await add_file("lease.txt", f"{LEASE}\n6. Serial\n6.1 The serial number of the safe is {SERIAL}.\n")

    def script(request: dict[str, Any]) -> Reply:
        done = texts(request, "tool")
        if "task" in tool_names(request):
            return "Done." if done else [("task", {"description": "Read D1", "subagent_type": "document-agent"})]
        passage = re.search(r"ID: (P\d+)", done[0]) if done else None
        steps: list[Reply] = [
            [("isaacus_search", {"query": "serial number of the safe"})],
            [("isaacus_extract", {"document_id": "D1", "question": "What is the rent?"}), ("read", {"path_part_id": f"[{passage and passage[1]}]"})],
            "Report.",
        ]  # fmt: skip
        return steps[sum(bool(m.get("tool_calls")) for m in request["messages"])]

    state, model = await put(script, "What is the serial?", RunContext(matter_id=matter["id"]))
    assert any("Answer found in [lease.txt]" in t for r in model.requests for t in texts(r, "tool"))
    seen = {found for r in model.requests for found in UUID.findall(json.dumps(r["messages"]))}
    assert seen == {SERIAL}, "of all UUIDs, a model reads only that in the document's text"
    assert document in state["handles"] and state["handles"][document] == "D1"
    assert all("- lease.txt | ID: D1" in raw_texts(r, "system")[0] for r in model.requests)
    calls = [c for m in state["messages"] if isinstance(m, AIMessage) for c in m.tool_calls]
    assert [c["name"] for c in calls] == ["task"]


async def test_a_handle_in_the_arguments_is_an_id_in_the_state(put: Put, matter: dict[str, Any], add_file: Add) -> None:
    document = await add_file("lease.txt", LEASE)

    def script(request: dict[str, Any]) -> Reply:
        return (
            "Done." if texts(request, "tool") else [("isaacus_extract", {"document_id": "d1", "question": "What is the rent?"})]
        )

    state, _ = await put(script, "What is the rent?", RunContext(matter_id=matter["id"]))
    [call] = [c for m in state["messages"] if isinstance(m, AIMessage) for c in m.tool_calls]
    assert call["args"]["document_id"] == document
    [output] = [m.text for m in state["messages"] if m.type == "tool"]
    assert UUID.search(output), "the state keeps the tool's text as the tool prints it"


@pytest.fixture
async def two(add_file: Add, services: Services, ada: Caller, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Two documents, and the tools called directly as Ada."""
    monkeypatch.setattr("orderly.agent.tools.context.current_caller", lambda *_: ada)
    names = ("Service_Agreement-2024.txt", "Lease (High Street).txt")
    return {name: await add_file(name, f"{LEASE}\n{name}") for name in names}


@pytest.mark.parametrize(
    "name", ["Lease (High Street).txt", "lease (high street)", "Lease High Street", "lease", "“Lease (High Street).txt”"]
)
async def test_a_document_is_found_by_its_name(two: dict[str, str], name: str) -> None:
    found = await tools.isaacus_extract.ainvoke({"document_id": name, "question": "What is the rent?"})
    assert found.startswith("Answer found in [Lease (High Street).txt]")
    read = await tools.read.ainvoke({"path_part_id": name})
    assert "Lease (High Street).txt" in read


async def test_the_name_of_nothing_or_of_several_is_an_error(two: dict[str, str]) -> None:
    missing = await tools.isaacus_extract.ainvoke({"document_id": "Deed", "question": "What is the rent?"})
    assert missing == "Error: Document Deed not found or you don't have access."
    several = await tools.isaacus_extract.ainvoke({"document_id": "t", "question": "What is the rent?"})
    assert several.startswith("Error: Document t not found or you don't have access. Documents there are: ")


async def test_a_document_is_found_by_some_words_of_its_name_in_any_matter_that_is_named(
    two: dict[str, str], matter: dict[str, Any]
) -> None:
    service, lease = two
    for where in ({"matter_id": matter["id"]}, {"matter_id": matter["number"]}, {}):
        for name, meant in (
            ("High lease", lease),
            ("Lease in High Street", lease),
            ("the Stree tenancy", lease),
            ("serv", service),
        ):
            found = await tools.isaacus_search.ainvoke({"query": "monthly rent", "within": [name], **where})
            assert f"[{meant}" in found and found.count("[") == found.count(f"[{meant}")


@pytest.mark.parametrize("name", ["the Tenancy of Low Street", "Lease for Acme", "the Harbour Street lease"])
async def test_a_name_with_a_word_of_its_own_is_no_other_document(
    two: dict[str, str], matter: dict[str, Any], name: str
) -> None:
    missing = await tools.isaacus_search.ainvoke({"query": "rent", "within": [name], "matter_id": matter["id"]})
    assert missing.startswith(f"Error: Document {name} not found")


async def test_one_shared_word_names_no_matter(two: dict[str, str], matter: dict[str, Any]) -> None:
    word = matter["title"].split()[0]
    missing = await tools.list_matter_documents.ainvoke({"matter_id": f"{word} and Quarry Holdings"})
    assert missing.startswith("Error: ") and "not found or you don't have access" in missing


async def test_an_unknown_name_is_refused_with_the_near_ones(two: dict[str, str], matter: dict[str, Any]) -> None:
    missing = await tools.isaacus_search.ainvoke({"query": "rent", "within": ["Leese Hihg Stret"], "matter_id": matter["id"]})
    assert missing.startswith("Error: Document Leese Hihg Stret not found or you don't have access. Documents there are: ")
    assert two["Lease (High Street).txt"] in missing and two["Service_Agreement-2024.txt"] not in missing
    other = await tools.isaacus_search.ainvoke({"query": "rent", "matter_id": "the Jones matter"})
    assert other.endswith(f"Your matters: {matter['title']} ({matter['number']}).")


async def test_a_section_is_read_by_its_document_and_label(two: dict[str, str]) -> None:
    text = await tools.read.ainvoke({"path_part_id": "Lease High Street, clause 1"})
    assert text.startswith("Section: Section 1") and "Lease (High Street).txt" in text
    missing = await tools.read.ainvoke({"path_part_id": "Lease High Street, clause 99.9"})
    assert missing.startswith("Error: The document has no section 99.9. Its sections: 1")


async def test_a_name_of_several_documents_asks_which(two: dict[str, str], add_file: Add) -> None:
    other = await add_file("Service Agreement 2025.txt", f"{LEASE}\nOther")
    text = await tools.isaacus_extract.ainvoke({"document_id": "service agreement", "question": "What is the rent?"})
    assert text.startswith("Error: 'service agreement' is the name of several:")
    assert other in text and two["Service_Agreement-2024.txt"] in text


async def test_another_persons_documents_have_no_names(
    two: dict[str, str], stranger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orderly.agent.tools.context.current_caller", lambda *_: stranger)
    text = await tools.isaacus_extract.ainvoke({"document_id": "lease", "question": "What is the rent?"})
    assert text == "Error: Document lease not found or you don't have access."


@pytest.mark.parametrize("how", ["title", "slug", "words", "nothing"])
async def test_a_matter_is_found_by_its_title_and_the_only_one_by_nothing(
    two: dict[str, str], matter: dict[str, Any], how: str
) -> None:
    names = {"title": matter["title"].upper(), "slug": matter["slug"], "words": "High Street", "nothing": ""}
    text = await tools.list_matter_documents.ainvoke({"matter_id": names[how]})
    assert text.startswith(f"Documents in matter {matter['number']} (2 total)")


async def test_empty_filters_are_no_filters(two: dict[str, str]) -> None:
    empty: dict[str, Any] = {"within": [], "mode": None, "matter_id": ""}
    found = await tools.isaacus_search.ainvoke({"query": "monthly rent", **empty})
    assert found.startswith("Found ")
    listed = await tools.list_matter_documents.ainvoke({"filename_pattern": "", "content_type": None})
    assert "(2 total)" in listed
    one = await tools.isaacus_search.ainvoke({"query": "monthly rent", "within": "Lease (High Street).txt"})
    assert "Service_Agreement" not in one and one.startswith("Found ")
