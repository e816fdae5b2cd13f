"""A run that names its matter, at every door of a running server: a model that asks for another matter of the user gets nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import httpx
import openai
import pytest

from support.installation import Office, Server, started
from support.lease import LEASE
from support.scripted_model import Reply, ScriptedModel, serve, texts

pytestmark = pytest.mark.server

WORDS = ("Canola", "Queensland", "$77,777")
"""Words of the other matter's document."""
QUESTION = "What do the documents say of rent?"
SEARCH = {"query": "rent per month"}


class Other(NamedTuple):
    """Another matter of the same user, with one document."""

    number: str
    matter: str
    document: str


@pytest.fixture(scope="module")
def other(office: Office) -> Other:
    path = office.installation.home / "canola.txt"
    path.write_text(
        LEASE.replace("New South Wales", "Queensland").replace("$4,500", "$77,777") + "\n6. The tenant is Canola Pty Ltd."
    )
    [report] = office.installation.data("ingest", str(path), "--matter", "Low Street")
    found = next(m for m in office.installation.data("matters", "list") if m["title"] == "Low Street")
    return Other(found["number"], found["id"], report["document_id"])


@pytest.fixture(scope="module")
def third(office: Office) -> str:
    """A matter that is named beside the first."""
    path = office.installation.home / "third.txt"
    path.write_text("DEED\n\n1. The deed is dated 4 July 2023.")
    office.installation.data("ingest", str(path), "--matter", "Mill Lane")
    return str(next(m["number"] for m in office.installation.data("matters", "list") if m["title"] == "Mill Lane"))


def calls(other: Other) -> list[tuple[str, dict[str, Any]]]:
    return [
        *(("isaacus_search", {**SEARCH, "matter_id": matter}) for matter in (other.matter, other.number, "Low Street", "all")),
        *(("search_keyword", {"query": "rent", "matter_id": id}) for id in (other.matter, other.number)),
        ("search_keyword", {"query": "rent", "within": [other.document]}),
        *(("list_contents", {"path_part_id": id}) for id in (other.matter, other.number, other.document)),
        *(("get_document_text", {"document_id": id}) for id in (other.document, "canola.txt", "Low Street/canola.txt")),
        *(("isaacus_extract", {"document_id": id, "question": QUESTION}) for id in (other.document, "canola.txt")),
        *(("ask_documents", {"question": QUESTION, "matter_id": id}) for id in (other.matter, other.number)),
        *(("ask_documents", {"question": QUESTION, "document_ids": [id]}) for id in (other.document, "canola.txt")),
        *(("list_matter_documents", {"matter_id": id}) for id in (other.matter, other.number)),
        ("view_page", {"document_id": other.document, "page_number": 1}),
        ("get_info", {"path_part_id": other.document}),
        ("read", {"path_part_id": other.document}),
        ("find", {"name": "canola"}),
        ("list_matters", {}),
        ("resolve_citation", {"document_id": other.document, "quote": "The tenant is Canola Pty Ltd."}),
    ]


@pytest.fixture(scope="module")
def model(other: Other) -> Iterator[ScriptedModel]:
    wanted = calls(other)
    answer = "The tenant: “The tenant is Canola Pty Ltd.” [canola.txt]. Rent: “pay rent of $77,777 per month” [canola.txt]."

    def script(request: dict[str, Any]) -> Reply:
        done = len(texts(request, "tool"))
        return wanted[done : done + 5] or answer

    with serve(script) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def server(office: Office, model: ScriptedModel, third: str) -> Iterator[Server]:
    keys = {"OPENAI_API_KEY": "sk-scripted", "OPENAI_BASE_URL": model.base_url, "ORDERLY_TOOL_CALLS": "100"}
    with started(office, keys) as running:
        yield running


def responses(server: Server, *matters: str, **more: Any) -> str:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.office.token, max_retries=0) as client:
        tools: Any = [{"type": "file_search", "vector_store_ids": list(matters)}]
        asked: Any = {"model": "orderly", "input": QUESTION, "tools": tools, "include": ["file_search_call.results"], **more}
        if more.get("stream"):
            return "\n".join(event.model_dump_json() for event in client.responses.create(**asked))
        text: str = client.responses.create(**asked).model_dump_json()
        return text


def completions(server: Server, matter: str, *, stream: bool) -> str:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.office.token, max_retries=0) as client:
        asked: Any = {"model": "orderly", "messages": [{"role": "user", "content": QUESTION}], "metadata": {"matter": matter}}
        if stream:
            return "\n".join(chunk.model_dump_json() for chunk in client.chat.completions.create(**asked, stream=True))
        text: str = client.chat.completions.create(**asked).model_dump_json()
        return text


def native(server: Server, context: dict[str, Any], mode: str) -> str:
    """A run of LangGraph's own API, with its stream and the state that it leaves."""
    headers = {"Authorization": f"Bearer {server.office.token}"}
    body = {
        "assistant_id": "orderly", "input": {"messages": [{"role": "user", "content": QUESTION}]}, "context": context,
        "stream_mode": ["values", "messages-tuple", "custom", "updates"], "stream_subgraphs": True,
    }  # fmt: skip
    with httpx.Client(base_url=server.url, headers=headers, timeout=120) as http:
        thread = http.post("/threads", json={}).json()["thread_id"]
        path = "/runs/stream" if mode == "stateless" else f"/threads/{thread}/runs/stream"
        streamed = http.post(path, json=body).text
        return streamed + http.get(f"/threads/{thread}/state").text


DOORS: dict[str, Callable[[Server, str], str]] = {
    "responses": lambda server, third: responses(server, server.office.matter),
    "responses by id": lambda server, third: responses(server, server.office.matter_id),
    "responses, several": lambda server, third: responses(server, server.office.matter, third),
    "responses, streamed": lambda server, third: responses(server, server.office.matter, stream=True),
    "chat completions": lambda server, third: completions(server, server.office.matter, stream=False),
    "chat completions, streamed": lambda server, third: completions(server, server.office.matter, stream=True),
    "native, one": lambda server, third: native(server, {"matter_id": server.office.matter}, "thread"),
    "native, list": lambda server, third: native(server, {"matter_ids": [server.office.matter_id, third]}, "thread"),
    "native, stateless": lambda server, third: native(server, {"matter_id": server.office.matter_id}, "stateless"),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_nothing_of_another_matter_of_the_user_is_read_or_shown(
    server: Server, model: ScriptedModel, other: Other, third: str, door: str
) -> None:
    model.requests.clear()
    answered = DOORS[door](server, third)
    results = texts(model.requests[-1], "tool")
    assert len(results) == len(calls(other))
    for (tool, given), result in zip(calls(other), results, strict=True):
        assert not [word for word in WORDS if word in result], f"{tool} {given}: {result[:300]}"
    asked = json.dumps([given for _, given in calls(other)])
    shown = answered.replace("The tenant is Canola Pty Ltd.", "")
    assert not [word for word in WORDS if word in shown and word not in asked], answered[-2_000:]
