"""A model that fails, at the doors of a running server and in a terminal: plain words, what was found, and a status meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import openai
import pytest
from langgraph_sdk import get_client

from support.installation import Office, Server, started
from support.scripted_model import Failure, Reply, ScriptedModel, Stream, serve

pytestmark = pytest.mark.server

KEY = "did not accept this installation's key. Your own sign-in is not affected"
FOUND = "giving not less than ninety (90) days' written notice"
SEARCH = ("isaacus_search", {"query": "ending the lease by notice"})
QUESTION = "How can the lease be ended?"


def failing(request: dict[str, Any]) -> Reply:
    if request["messages"][-1]["role"] == "tool":
        return Failure(401, "Incorrect API key provided: sk-scripted")
    if "slowly" in json.dumps(request["messages"][1:]):
        return Stream([{"content": "The lease ends after five years."}], seconds_before=5)
    return [SEARCH]


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with serve(failing) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def environment(model: ScriptedModel) -> dict[str, str]:
    return {"OPENAI_API_KEY": "sk-scripted", "OPENAI_BASE_URL": model.base_url}


@pytest.fixture(scope="module")
def running(office: Office, environment: dict[str, str]) -> Iterator[Server]:
    with started(office, environment) as server:
        yield server


def is_plain(text: str) -> bool:
    return KEY in text and FOUND in text and not any(word in text for word in ("sk-", "Traceback", "Error code", "signed out"))


async def test_the_langgraph_sdk_shows_the_reason_and_what_was_found(server: Server) -> None:
    async with get_client(url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}) as sdk:
        thread = await sdk.threads.create()
        question: Any = {"messages": [{"role": "user", "content": QUESTION}]}
        values: Any = await sdk.runs.wait(
            thread["thread_id"], "orderly", input=question, context={"matter_id": server.office.matter}
        )
        assert is_plain(values["messages"][-1]["content"])
        assert values["messages"][-1]["additional_kwargs"]["stopped"]["code"] == "key_rejected"
        assert (await sdk.threads.get(thread["thread_id"]))["status"] == "idle"


async def test_a_status_arrives_every_two_seconds(server: Server) -> None:
    async with get_client(url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}) as sdk:
        thread = await sdk.threads.create()
        question: Any = {"messages": [{"role": "user", "content": "Tell me slowly."}]}
        stream = sdk.runs.stream(
            thread["thread_id"], "orderly", input=question, context={"matter_id": server.office.matter}, stream_mode=["custom", "values"]
        )  # fmt: skip
        said, seconds, arrived, ended = [], [], [], 0.0
        async for part in stream:
            ended = time.monotonic()
            if part.event == "custom" and part.data["type"] == "orderly.status":
                arrived.append(ended)
                said.append(part.data["text"])
                seconds.append(part.data["seconds"])
    assert len(said) >= 2
    assert all(later - earlier <= 2 for earlier, later in pairwise([0, *seconds]))
    assert ended - arrived[0] >= 2, "the first status must not wait for the answer"
    assert said[0] == "The language model is working on the answer."


def test_the_responses_api_reports_a_failed_response_with_its_text(server: Server) -> None:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.office.token, max_retries=0) as client:
        tools: Any = [{"type": "file_search", "vector_store_ids": [server.office.matter]}]
        response = client.responses.create(model="orderly", input=QUESTION, tools=tools)
    assert response.status == "failed"
    assert response.error is not None and KEY in response.error.message
    assert is_plain(response.output_text)


def test_a_terminal_shows_it_and_the_command_exits_with_one(office: Office, environment: dict[str, str]) -> None:
    done = office.installation.run("ask", QUESTION, "--matter", office.matter, code=1, **environment)
    assert is_plain(done.stdout)
    assert "Traceback" not in done.stderr
