"""What a language model reads where tools find nothing, cannot show a page, or are called with names and lists."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pymupdf

from integration.graph_runs import Put
from orderly.agent.middleware.run_context import RunContext
from orderly_evaluation.model_script.costs import one_agent
from support.lease import LEASE
from support.scripted_model import texts

INDEMNITY = """
9. Indemnity

9.1 The Lessee must indemnify and hold harmless the Lessor against all claims, losses and costs of third parties.

10. Cap

10.1 The total of what the Lessee pays under clause 9 is limited to $50,000.
"""


async def test_a_model_is_told_what_comes_nearest_and_reads_clauses_by_type_number_and_list(
    put: Put, matter: dict[str, Any], add_file: Callable[..., Awaitable[str]]) -> None:  # fmt: skip
    await add_file("Kurrajong Lease.txt", LEASE + INDEMNITY)
    for n in range(4):
        lines = "\n\n".join(
            f"{k}. Item {k}\nThe parties agree that the goods of load {k} are stored in shed {n}." for k in range(9)
        )
        await add_file(f"Storage {n}.txt", f"STORAGE AGREEMENT\n\n{lines}")
    steps: list[Any] = [
        [("ask_documents", {"question": "Which animals may be kept, and who feeds them?"}),
         ("ask_documents", {"question": "Who indemnifies whom?", "clause_type": "indemnity"}),
         ("read", {"path_part_id": "Kurrajong lease, clause 10.1"}),
         ("read", {"path_part_id": "Kurrajong lease section 77"}),
         ("search_keyword", {"query": "the goods of load of shed"}),
         ("read_review", {"review": "Basics"})],
        [("read", {"path_part_id": "[D1 9.1], [D2 2]"})],
    ]  # fmt: skip
    script = one_agent(steps, "Done.")
    _, model = await put(script, "Who indemnifies?", RunContext(matter_id=matter["id"]))
    asked, typed, section, wrong, similar, review = texts(model.requests[1], "tool")
    assert "answered in 0, likely in 0" in asked and "ask again with clause_type" in asked
    assert "1. [Kurrajong Lease.txt, Section 9" in typed and "must indemnify and hold" in typed and "answered in 1" in typed
    assert section.startswith("Section: Section 10.1") and "$50,000" in section
    assert wrong.startswith("Error: The document has no section 77. Its sections: ")
    assert "No exact matches" in similar and len(re.findall(r"^\d+\. ", similar, re.M)) == 6 and "To go on" in similar
    assert review == "Error: Review Basics not found or you don't have access. The matter has none."
    both = texts(model.requests[2], "tool")[-1]
    assert both.count("Path: ") == 2


async def test_a_model_without_eyes_reads_the_words_of_a_page(
    put: Put, matter: dict[str, Any], add_file: Callable[..., Awaitable[str]]) -> None:  # fmt: skip
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Signed as a deed by Jane Citizen before a witness.")
        await add_file("deed.pdf", document.tobytes())
    script = one_agent([[("view_page", {"document_id": "deed.pdf", "page_number": 1})]], "Done.")
    _, model = await put(script, "Is the deed signed?", RunContext(matter_id=matter["id"]))
    shown = texts(model.requests[1], "tool")[0]
    assert "This model cannot see pictures" in shown and "File: " not in shown
    assert "Signed as a deed by Jane Citizen" in shown.partition("by hand:")[2]


async def test_a_model_may_check_a_quotation_and_go_on(
    put: Put, matter: dict[str, Any], add_file: Callable[..., Awaitable[str]]) -> None:  # fmt: skip
    document = await add_file("lease.txt", LEASE)
    quotation = "governed by and construed in accordance with the laws of New South Wales"
    script = one_agent(
        [[("resolve_citation", {"document_id": document, "quote": quotation})]], f"“{quotation}” [lease.txt, Section 5.1]."
    )
    state, _ = await put(script, "Which law governs?", RunContext(matter_id=matter["id"]))
    assert state["messages"][-1].text.startswith(f"“{quotation}” [1].")
