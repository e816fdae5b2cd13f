"""Files in messages, as chat frontends of LangGraph servers send them: documents of the conversation, never ignored."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from support.installation import Server

pytestmark = pytest.mark.server

LOAN = b"Loan\n\n1. Interest\n\n1.1 The borrower pays interest of 7 per cent each year.\n"
QUESTION = {"type": "text", "text": "Which interest does the borrower pay?"}


def attached(content: bytes, name: str = "loan.txt") -> dict[str, Any]:
    """As agent-chat-ui writes it."""
    return {
        "type": "file",
        "mimeType": "text/plain",
        "data": base64.b64encode(content).decode(),
        "metadata": {"filename": name},
    }


@pytest.fixture
async def sdk(server: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url, headers={"X-Api-Key": server.office.token}) as opened:
        yield opened


async def ask(sdk: LangGraphClient, thread: str, *content: dict[str, Any], **options: Any) -> dict[str, Any]:
    values: Any = await sdk.runs.wait(
        thread, "orderly", input={"messages": [{"type": "human", "content": list(content)}]}, **options
    )
    return dict(values)


async def test_a_file_in_a_message_becomes_a_document_of_the_conversation(server: Server, sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    values = await ask(sdk, thread, QUESTION, attached(LOAN))
    assert "7 per cent" in values["messages"][-1]["content"]
    assert values["messages"][0]["content"].startswith(QUESTION["text"]) and "loan.txt" in values["messages"][0]["content"]
    sent = base64.b64encode(LOAN).decode()
    kept = [await sdk.threads.get_history(thread), await sdk.runs.list(thread), await sdk.threads.get(thread)]
    assert sent not in json.dumps(kept, default=str)
    later = await ask(sdk, thread, {"type": "text", "text": "Who pays the interest?"})
    assert "loan.txt" in later["messages"][-1]["content"]
    for token, found in ((server.office.token, 200), (server.office.colleague_token, 404)):
        listed = httpx.get(f"{server.url}/chat/api/{thread}/documents", headers={"Authorization": f"Bearer {token}"})
        assert listed.status_code == found
        assert found != 200 or [d["filename"] for d in listed.json()["documents"]] == ["loan.txt"]


async def test_a_file_is_asked_beside_the_matter_of_the_run(server: Server, sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    values = await ask(sdk, thread, QUESTION, attached(LOAN), context={"matter_id": server.office.matter})
    answer = values["messages"][-1]["content"]
    assert "7 per cent" in answer and "Asked: lease.txt" in answer


async def test_a_file_without_a_question_is_acknowledged_and_an_unreadable_one_named(sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    values = await ask(sdk, thread, attached(LOAN), attached(b"%PDF-1.7 broken", "deed.pdf"))
    answer = values["messages"][-1]["content"]
    assert "loan.txt" in answer and "deed.pdf (could not be read: The PDF is damaged" in answer


async def test_a_file_that_cannot_be_taken_is_refused_in_a_sentence(server: Server, sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    others = httpx.get(
        f"{server.url}/v1/vector_stores/{server.office.matter_id}/files",
        headers={"Authorization": f"Bearer {server.office.token}"},
    ).json()["data"][0]["id"]
    refused = [
        ({"type": "image_url", "image_url": {"url": "https://example.com/deed.png"}}, "fetches nothing"),
        ({"type": "file", "file_id": others}, "only documents of its conversation"),
        ({"type": "file", "file_id": "made-up"}, "not found"),
        ({"type": "video", "fileId": "x"}, "cannot be read here"),
    ]
    for block, said in refused:
        with pytest.raises(httpx.HTTPStatusError) as error:
            await ask(sdk, thread, QUESTION, block)
        assert error.value.response.status_code in (404, 422) and said in error.value.response.text
    assert (await sdk.threads.get_state(thread))["values"] in ({}, None)


async def test_an_unknown_matter_is_named_as_unknown(sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    values = await ask(sdk, thread, QUESTION, context={"matter_id": "M-1999-001"})
    assert "Matter M-1999-001 not found or you don't have access." in values["messages"][-1]["content"]


async def test_an_assistant_is_found_by_the_name_of_its_graph(sdk: LangGraphClient) -> None:
    assert (await sdk.assistants.get_schemas("orderly"))["graph_id"] == "orderly"
    assert (await sdk.assistants.get("orderly"))["graph_id"] == "orderly"
    assert (await sdk.assistants.get_graph("orderly"))["nodes"]
