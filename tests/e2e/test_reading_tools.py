"""The reading tools on the development server, which fails runs that block its event loop."""

from __future__ import annotations

import re
from typing import Any

import pymupdf
import pytest
from langgraph_sdk import get_client

from support.installation import Office, started
from support.scripted_model import Reply, serve, texts, tool_names

pytestmark = pytest.mark.server


async def test_every_reading_tool_works_without_blocking_the_event_loop(office: Office) -> None:
    deed = office.installation.home / "deed.pdf"
    document = pymupdf.open()
    page = document.new_page()
    page.insert_textbox((72, 72, 520, 300), "1. RENT\nThe Lessee shall pay rent of nine hundred dollars a month.")
    for n in range(5):
        page.draw_circle((200 + 20 * n, 400), 40)
    document.save(deed)
    document.close()
    [report] = office.installation.data("ingest", str(deed), "--matter", office.matter)
    places = office.installation.data("grep", office.matter, "nine hundred")["places"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_contents", {"path_part_id": office.matter}),
        ("find", {"name": "deed"}),
        ("get_info", {"path_part_id": report["document_id"]}),
        ("read", {"path_part_id": report["document_id"]}),
        ("read_around", {"chunk_id": places[0]["id"]}),
        ("search_keyword", {"matter_id": office.matter, "query": r"nine\s+hundred", "mode": "regex"}),
        ("view_page", {"document_id": places[0]["id"]}),
        ("view_page", {"document_id": office.document_id}),
        ("visual_search", {"matter_id": office.matter, "query": "drawing"}),
    ]

    def script(request: dict[str, Any]) -> Reply:
        if "task" in tool_names(request):
            return "Done." if texts(request, "tool") else [("task", {"description": "Read", "subagent_type": "document-agent"})]
        return "Read." if texts(request, "tool") else calls

    with serve(script) as model:
        settings = {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": model.base_url, "ORDERLY_MODEL_SEES": "true"}
        with started(office, settings) as server:
            question = {"messages": [{"role": "user", "content": "Read everything"}]}
            async with get_client(url=server.url, headers={"Authorization": f"Bearer {office.token}"}) as client:
                await client.runs.wait(None, "orderly", input=question)
    [after] = [r for r in model.requests if len(texts(r, "tool")) == len(calls)]
    starts = (
        "Contents of ", "Found 1 item", "Document: deed.pdf", "Document: deed.pdf", "Passage: ", "Found 1 match ", "Page 1 of 1 of deed.pdf",
        "Excerpt of lease.txt", "Found 1 page",
    )  # fmt: skip
    for text, start in zip(texts(after, "tool"), starts, strict=True):
        assert text.startswith(start), text
    shown = [part for m in after["messages"] if isinstance(m["content"], list) for part in m["content"]]
    assert sum(part["type"] == "image_url" for part in shown) == 2
    assert not re.search(r"Blocking", (server.log).read_text())
