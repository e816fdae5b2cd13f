"""No stream of the server carries an unverified quotation, tested with a model that streams a false quotation."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from langgraph_sdk import get_client

from support.installation import Office, Server, started
from support.scripted_model import Reply, ScriptedModel, serve, texts, tool_names

pytestmark = pytest.mark.server

CANARY = "zirconium"
FALSE = f"The Lessee shall deliver ten tonnes of {CANARY} to the Lessor at the end of every quarter."
TRUE = "Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party."
QUESTION = {"messages": [{"role": "user", "content": "How can the lease be ended?"}]}
TOLD = "Check before you rely on it:\n- It says ‘…’ — Words in quotation marks were taken out here"
SLOWLY = "Take your time."
MODES = ["values", "updates", "messages", "messages-tuple", "events", "debug", "tasks", "checkpoints", "custom"]


def misquoting(document: str) -> Any:
    """Returns a script with the false quotation in plans, delegations, reports and answers."""
    lie = f"It may be ended. It says “{FALSE}” [lease.txt, Section 3.1]. “{TRUE}” [lease.txt, Section 3.1]. That is all."

    def script(request: dict[str, Any]) -> Reply:
        if SLOWLY in str(texts(request, "user")) and texts(request, "tool"):
            time.sleep(1.5)
        if "task" in tool_names(request):
            if texts(request, "tool"):
                return lie
            return [
                ("think_tool", {"reflection": lie}),
                ("task", {"description": f"Read {document}: {lie}", "subagent_type": "document-agent"}),
            ]
        if texts(request, "tool"):
            return lie
        return [("get_document_text", {"document_id": document}), ("think_tool", {"reflection": lie})]

    return script


@pytest.fixture(scope="module")
def model(office: Office) -> Iterator[ScriptedModel]:
    with serve(misquoting(office.document_id)) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def server(office: Office, model: ScriptedModel) -> Iterator[Server]:
    with started(office, {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": model.base_url}) as running:
        yield running


def headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def clean(seen: Any) -> str:
    text = json.dumps(seen, default=str)
    assert CANARY not in text
    return text


async def test_no_stream_mode_carries_the_false_quotation(server: Server, model: ScriptedModel) -> None:
    async with get_client(url=server.url, headers=headers(server.office.token)) as sdk:
        thread = await sdk.threads.create()
        seen: list[tuple[str, Any]] = []
        async for part in sdk.runs.stream(
            thread["thread_id"],
            "orderly",
            input=QUESTION,
            context={"matter_id": server.office.matter},
            stream_mode=MODES,  # type: ignore[arg-type]
            stream_subgraphs=True,
        ):
            seen.append((part.event, part.data))
        state = await sdk.threads.get_state(thread["thread_id"], subgraphs=True)
        history = await sdk.threads.get_history(thread["thread_id"])
    events = {event.split("|")[0] for event, _ in seen}
    assert {"values", "updates", "messages", "events", "debug", "tasks", "checkpoints"} <= events
    assert any("|" in event for event, _ in seen), "the document agent's steps must be streamed"
    for part in (*seen, state, history):
        clean(part)
    answer = state["values"]["messages"][-1]["content"]
    assert answer.startswith(f"It may be ended. It says “…”. “{TRUE}” [1]. That is all.\n\n{TOLD}")
    assert any(CANARY in t for r in model.requests for t in texts(r, "user")), (
        "the model must have produced the quotation and been asked for the words"
    )


async def test_sentences_are_streamed_one_by_one_and_add_up_to_the_answer(server: Server) -> None:
    async with get_client(url=server.url, headers=headers(server.office.token)) as sdk:
        thread = await sdk.threads.create()
        pieces: dict[str, list[str]] = {}
        records: list[dict[str, Any]] = []
        async for part in sdk.runs.stream(
            thread["thread_id"],
            "orderly",
            input=QUESTION,
            context={"matter_id": server.office.matter},
            stream_mode="messages-tuple",
        ):
            if part.event == "messages" and part.data[0]["type"] == "AIMessageChunk" and part.data[0]["content"]:
                pieces.setdefault(part.data[0]["id"], []).append(part.data[0]["content"])
                records.append(part.data[0]["additional_kwargs"])
        state = await sdk.threads.get_state(thread["thread_id"])
    last = state["values"]["messages"][-1]
    assert len(pieces[last["id"]]) >= 3
    assert "".join(pieces[last["id"]]) == last["content"]
    assert [record["checks"] for record in records if "checks" in record] == [last["additional_kwargs"]["checks"]]
    assert records[-1].keys() == {"body", "checks", "source_ids", "source_marks"}, "the record stands on the last text"
    assert last["content"][last["additional_kwargs"]["body"] :].startswith(f"\n\n{TOLD}")


async def test_the_thread_protocol_carries_gated_text_and_belongs_to_its_owner(server: Server) -> None:
    """The server's thread protocol over SSE."""
    async with get_client(url=server.url, headers=headers(server.office.token)) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        seen: list[Any] = []
        async with sdk.threads.stream(thread, assistant_id="orderly") as stream:
            await stream.run.start(input=QUESTION)

            async def watch() -> None:
                async for event in stream.events:
                    seen.append(event)

            watching = asyncio.create_task(watch())
            await asyncio.wait_for(stream.output, timeout=60)
            watching.cancel()
        state = await sdk.threads.get_state(thread)
    text = clean(seen)
    assert "It says \\u201c\\u2026\\u201d." in text
    assert '"messages"' in text
    clean(state)
    async with httpx.AsyncClient(base_url=server.url, headers=headers(server.office.colleague_token)) as other:
        start = {"id": 1, "method": "run.start", "params": {"assistant_id": "orderly", "input": QUESTION}}
        refused = await other.post(f"/threads/{thread}/commands", json=start)
        watched = await other.post(f"/threads/{thread}/stream/events", json={"channels": ["values"]})
    assert "run_id" not in refused.text
    assert watched.text == "", "the stream of another user's thread must be empty"


async def test_wait_join_and_the_responses_api_give_gated_text(server: Server) -> None:
    async with get_client(url=server.url, headers=headers(server.office.token)) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        run = await sdk.runs.create(thread, "orderly", input=QUESTION, stream_mode=["messages-tuple", "events"])
        parts = [part async for part in sdk.runs.join_stream(thread, run["run_id"])]
        assert "It says \\u201c\\u2026\\u201d." in clean(parts)
        clean(await sdk.runs.wait(None, "orderly", input=QUESTION))
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.office.token, max_retries=0) as client:
        tools: Any = [{"type": "file_search", "vector_store_ids": [server.office.matter]}]
        with client.responses.stream(model="orderly", input="How can it be ended?", tools=tools) as stream:
            deltas = []
            for event in stream:
                clean(event.model_dump(warnings=False))
                deltas += [event.delta] if event.type == "response.output_text.delta" else []
            final = stream.get_final_response()
    assert f"It says “…”. “{TRUE}” [1]. That is all.\n\n{TOLD}" in final.output_text
    assert "".join(deltas) == final.output_text
    assert deltas[:2] == ["It may be ended. ", "It says “…”. "], deltas
    part: Any = final.output[-1].content[0]  # type: ignore[union-attr]
    assert [final.output_text[c["start"] : c["end"]] for c in part.checks if c["reason"]] == ["It says “…”."]
    assert [annotation.type for annotation in part.annotations] == ["file_citation"]


async def test_a_cancelled_run_is_not_recorded_as_an_answer(server: Server, model: ScriptedModel) -> None:
    def answers() -> int:
        record = httpx.get(f"{server.url}/api/matters/{server.office.matter}/audit", headers=headers(server.office.token))
        return record.text.count("answer_sha256")

    slow = {"messages": [{"role": "user", "content": f"How can the lease be ended? {SLOWLY}"}]}
    async with get_client(url=server.url, headers=headers(server.office.token)) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        before, asked = answers(), len(model.requests)
        run = await sdk.runs.create(thread, "orderly", input=slow)
        while not any(SLOWLY in str(r) and texts(r, "tool") for r in model.requests[asked:]):
            await asyncio.sleep(0.05)
        await sdk.runs.cancel(thread, run["run_id"], wait=True)
        await asyncio.sleep(2)
        assert (await sdk.runs.get(thread, run["run_id"]))["status"] != "success"
        assert answers() == before
        await sdk.runs.wait(None, "orderly", input=slow)
        assert answers() == before + 1
