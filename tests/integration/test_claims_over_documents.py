"""Claims over several documents and of absence: counted against what was quoted of each document and asked of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from integration.graph_runs import delegating, once, run
from integration.test_ask_documents import DEED, LEASE
from orderly.agent.middleware.run_context import RunContext
from orderly.models import Caller
from orderly.settings import Settings
from support.scripted_model import Reply, Stream, texts

Add = Callable[..., Awaitable[str]]
Answer = Callable[[str, str], Awaitable[str]]
LAW = "“This lease is governed by the laws of New South Wales.” [Shop.txt]"
LAW_2 = "“This Agreement is governed by the laws of Victoria.” [Guarantee.txt]"
ABOUT_LAW = "Which law governs?"
ABOUT_DRONES = "May drones be flown over the premises?"
OF_NONE = "[unsupported: asked of 0 of 2 documents"


@pytest.fixture
async def answer(
    settings: Settings, ada: Caller, acting: Callable[[Caller], dict[str, Any]], matter: dict[str, Any], add_file: Add
) -> Answer:
    """Runs a question: one is put to both documents, or both are read; returns the answer without its sources."""
    ids = [await add_file("Shop.txt", LEASE), await add_file("Guarantee.txt", DEED)]

    async def answered(asked: str, written: str) -> str:
        reads = [("get_document_text", {"document_id": id}) for id in ids]
        calls = [("ask_documents", {"question": asked, "document_ids": ids})] if asked else []
        script = delegating(lambda request: written, once(*calls, *reads, then="Read."))
        state, _ = await run(settings, script, acting(ada), "Compare the documents.", RunContext(matter_id=matter["id"]))
        return str(state["messages"][-1].text).partition("\n\nSources:")[0]

    return answered


@pytest.mark.parametrize(
    ("asked", "claim", "mark"),
    [
        ("", f"All documents name the law that governs: {LAW}.", "[unsupported: quoted or found in 1 of 2 documents]"),
        ("", f"{LAW}\n\nBoth agreements are governed by Australian law.", "[unsupported: quoted or found in 1 of 2"),
        ("", f"{LAW}\n\nMost of the documents name a law that governs.", "[unsupported: quoted or found in 1 of 2"),
        ("", f"{LAW}\n\nNone of the documents allows drones over the premises.", OF_NONE),
        (ABOUT_LAW, f"{LAW}\n\nNo document allows drones over the premises.", OF_NONE),
        (ABOUT_LAW, f"{LAW}\n\nNeither document names the law that governs.", "found in 2]"),
        (ABOUT_LAW, f"{LAW}\n\nAll 12 contracts name the law that governs.", "[unsupported: quoted or found in 2 of 12"),
        ("", f"{LAW}\n\nThe deed does not allow drones over any premises.", "[no quotation]"),
    ],
)
async def test_a_claim_that_the_count_does_not_bear_out_is_marked(answer: Answer, asked: str, claim: str, mark: str) -> None:
    assert mark in await answer(asked, claim)


@pytest.mark.parametrize(
    ("asked", "claim"),
    [
        ("", f"Both documents name the law that governs:\n\n- {LAW}\n\n- {LAW_2}\n"),
        ("", f"- {LAW}\n- {LAW_2}\n\nAll documents name the law that governs."),
        (ABOUT_LAW, f"{LAW}\n\nBoth documents name the law that governs."),
        (ABOUT_DRONES, f"{LAW}\n\nNone of the documents allows drones over the premises."),
        (ABOUT_DRONES, f"{LAW}\n\nNeither document deals with drones."),
        (ABOUT_DRONES, f"{LAW}\n\nThe deed says nothing of drones flown over premises."),
        ("", f"{LAW}\n\nI searched all documents for drones and found nothing."),
    ],
)
async def test_a_claim_that_the_count_bears_out_is_not(answer: Answer, asked: str, claim: str) -> None:
    text = await answer(asked, claim)
    assert "[unsupported" not in text and "[no quotation]" not in text, text
    assert all(word in text for word in claim.rpartition("\n\n")[2].split("“")[0].split()), text


async def test_a_claim_before_a_tool_call_is_counted_too(
    settings: Settings, ada: Caller, acting: Callable[[Caller], dict[str, Any]], matter: dict[str, Any], add_file: Add
) -> None:
    ids = [await add_file("Shop.txt", LEASE), await add_file("Guarantee.txt", DEED)]
    reads: list[Any] = [("get_document_text", {"document_id": id}) for id in ids]
    listing = {"index": 0, "id": "c", "type": "function", "function": {"name": "list_matters", "arguments": "{}"}}
    claim = {"content": f"{LAW}\n\nNone of the documents allows drones over the premises.\n\n"}

    def script(request: dict[str, Any]) -> Reply:
        done = len(texts(request, "tool"))
        return (
            reads
            if not done
            else Stream([claim, {"tool_calls": [listing]}], finish="tool_calls")
            if done == len(ids)
            else "Done."
        )

    state, _ = await run(settings, script, acting(ada), "Compare the documents.", RunContext(matter_id=matter["id"]))
    said = [message.text for message in state["messages"] if message.type == "ai" and message.text]
    assert len(said) == 2 and OF_NONE in said[0], said
