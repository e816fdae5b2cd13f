"""The stock `openai` client against a running server."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import openai
import pytest

from support.installation import Server
from support.lease import LEASE

pytestmark = pytest.mark.server

QUESTION = "Which law governs the lease?"


def client_of(server: Server, token: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key=token, max_retries=0)


@pytest.fixture
def client(server: Server) -> Iterator[openai.OpenAI]:
    with client_of(server, server.office.token) as opened:
        yield opened


@pytest.fixture
def colleague(server: Server) -> Iterator[openai.OpenAI]:
    with client_of(server, server.office.colleague_token) as opened:
        yield opened


def search_of(matter: str) -> list[Any]:
    return [{"type": "file_search", "vector_store_ids": [matter]}]


def test_a_response_contains_its_search_and_citation(server: Server, client: openai.OpenAI) -> None:
    response = client.responses.create(model="orderly", input=QUESTION, tools=search_of(server.office.matter))
    assert response.status == "completed"
    assert "laws of New South Wales" in response.output_text
    searches = [item for item in response.output if item.type == "file_search_call"]
    assert searches
    for result in searches[0].results or []:
        assert result.file_id == server.office.document_id
        assert result.text == "" and result.attributes is not None
        assert not hasattr(result, "chunk_text")
        relevance = result.relevance_score  # type: ignore[attr-defined]
        assert relevance is None or -1 <= relevance <= 1
    [message] = [item for item in response.output if item.type == "message"]
    [citation] = message.content[0].annotations
    assert citation.filename == "lease.txt"
    quoted = message.content[0].text[: citation.index]
    assert any(quoted.endswith(LEASE[start : start + 20]) for start in range(len(LEASE)))


def test_search_results_are_included_only_on_request(server: Server, client: openai.OpenAI) -> None:
    response = client.responses.create(
        model="orderly", input=QUESTION, tools=search_of(server.office.matter), include=["file_search_call.results"]
    )
    results = next(item for item in response.output if item.type == "file_search_call").results or []
    assert results
    assert all(result.text and result.text in LEASE for result in results)


def test_a_stored_response_is_fetched_with_or_without_search_results(server: Server, client: openai.OpenAI) -> None:
    asked = client.responses.create(model="orderly", input=QUESTION, tools=search_of(server.office.matter))

    def found(**include: Any) -> list[Any]:
        fetched = client.responses.retrieve(asked.id, **include)
        assert fetched.output_text == asked.output_text
        return next(item for item in fetched.output if item.type == "file_search_call").results or []

    assert found() and all(result.text == "" and result.filename == "lease.txt" for result in found())
    assert found(include=["file_search_call.results"]) and all(
        result.text and result.text in LEASE for result in found(include=["file_search_call.results"])
    )


def test_stream_events_arrive_in_the_order_of_the_protocol(server: Server, client: openai.OpenAI) -> None:
    with client.responses.stream(model="orderly", input=QUESTION, tools=search_of(server.office.matter)) as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = [event.type for event in events]
    expected = [
        "response.created", "response.in_progress", "response.output_item.added", "response.file_search_call.in_progress",
        "response.file_search_call.searching", "response.file_search_call.completed", "response.output_item.done",
        "response.content_part.added", "response.output_text.delta", "response.output_text.done",
        "response.content_part.done", "response.completed",
    ]  # fmt: skip
    places = [kinds.index(kind) for kind in expected]
    assert places == sorted(places)
    assert all(one.sequence_number < other.sequence_number for one, other in pairwise(events) if one.type != other.type)
    deltas = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert deltas == final.output_text
    assert "laws of New South Wales" in deltas


def test_only_its_owner_fetches_continues_and_deletes_a_response(
    server: Server, client: openai.OpenAI, colleague: openai.OpenAI
) -> None:
    first = client.responses.create(model="orderly", input=QUESTION, tools=search_of(server.office.matter))
    assert client.responses.retrieve(first.id).output_text == first.output_text
    for call in (colleague.responses.retrieve, colleague.responses.delete):
        with pytest.raises(openai.NotFoundError):
            call(first.id)
    with pytest.raises(openai.NotFoundError):
        colleague.responses.create(model="orderly", input="Go on", previous_response_id=first.id)
    with pytest.raises(openai.NotFoundError):
        colleague.responses.create(model="orderly", input="Go on", conversation=first.conversation.id)
    second = client.responses.create(
        model="orderly", input="How long is the term?", tools=search_of(server.office.matter), previous_response_id=first.id
    )
    assert second.conversation.id == first.conversation.id
    client.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)


def test_invalid_requests_are_refused_in_openais_format(
    server: Server, client: openai.OpenAI, colleague: openai.OpenAI
) -> None:
    with client_of(server, "ord_made-up") as unknown, pytest.raises(openai.AuthenticationError) as refused:
        unknown.models.list()
    assert refused.value.code == "invalid_api_key"
    with pytest.raises(openai.NotFoundError, match="not found or you don't have access"):
        colleague.responses.create(model="orderly", input=QUESTION, tools=search_of(server.office.matter_id))
    with pytest.raises(openai.NotFoundError, match="no model"):
        client.responses.create(model="gpt-4", input=QUESTION)
    with pytest.raises(openai.BadRequestError, match="empty"):
        client.responses.create(model="orderly", input=" ")
    assert [model.id for model in client.models.list()] == ["orderly"]


def test_a_refusal_names_the_field(client: openai.OpenAI) -> None:
    for field, value in (("prompt", {"id": "pmpt_1"}), ("background", True), ("tool_choice", "none")):
        with pytest.raises(openai.BadRequestError) as refused:
            client.responses.create(model="orderly", input=QUESTION, **{field: value})  # type: ignore[call-overload]
        assert refused.value.param == field
    with pytest.raises(openai.BadRequestError, match=r"- input: String should have at least 1 character"):
        client.responses.create(model="orderly", input="")
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="orderly", input="Go on", conversation="no-such-conversation")


@pytest.fixture
def other_matter(server: Server) -> str:
    path = server.office.installation.home / "other.txt"
    path.write_text(LEASE.replace("New South Wales", "Queensland"))
    server.office.installation.run("--as", server.office.lawyer, "ingest", str(path), "--matter", "Low Street")
    return next(
        str(m["number"])
        for m in server.office.installation.data("--as", server.office.lawyer, "matters", "list")
        if m["title"] == "Low Street"
    )


def test_a_response_searches_only_the_named_matters(server: Server, client: openai.OpenAI, other_matter: str) -> None:
    tools: Any = [{"type": "file_search", "vector_store_ids": [server.office.matter, other_matter], "max_num_results": 1}]
    both = client.responses.create(model="orderly", input=QUESTION, tools=tools)
    assert "New South Wales" in both.output_text and "Queensland" in both.output_text
    searches = [item for item in both.output if item.type == "file_search_call"]
    assert {len(item.results or []) for item in searches} == {1}
    cited = [a.filename for item in both.output if item.type == "message" for part in item.content for a in part.annotations]
    assert sorted(set(cited)) == ["lease.txt", "other.txt"]


def test_the_question_for_the_matter_is_answered_in_the_next_request(client: openai.OpenAI, other_matter: str) -> None:
    asked = client.responses.create(model="orderly", input=QUESTION)
    assert asked.output_text.startswith("Which matter do you mean?")
    assert other_matter in asked.output_text
    answered = client.responses.create(model="orderly", input=other_matter, previous_response_id=asked.id)
    assert "Queensland" in answered.output_text
    conversation = client.responses.create(model="orderly", input=QUESTION).conversation
    again = client.responses.create(model="orderly", input=other_matter, conversation=conversation.id)
    assert "Queensland" in again.output_text


@pytest.fixture
def chat(server: Server) -> str:
    """A conversation with a file of its own."""
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}, timeout=60) as http:
        made: str = http.post("/threads", json={}).json()["thread_id"]
        bond = LEASE.replace("New South Wales", "Tasmania").encode()
        assert http.post(f"/chat/api/{made}/documents", files={"file": ("bond.txt", bond, "text/plain")}).status_code == 201
        deadline = time.monotonic() + 60
        while http.get(f"/chat/api/{made}/documents").json()["documents"][0]["status"] != "processed":
            assert time.monotonic() < deadline
            time.sleep(0.2)
    return made


@pytest.mark.parametrize("streamed", [False, True])
def test_a_response_from_the_files_of_a_conversation_is_kept_and_continued(
    client: openai.OpenAI, colleague: openai.OpenAI, chat: str, streamed: bool
) -> None:
    asked: Any = {"model": "orderly", "input": QUESTION, "tools": [{"type": "file_search"}], "conversation": chat}
    if streamed:
        with client.responses.stream(**asked) as stream:
            kinds = [event.type for event in stream]
            first = stream.get_final_response()
        assert kinds[-1] == "response.completed"
    else:
        first = client.responses.create(**asked)
    assert first.error is None and first.status == "completed"
    assert "laws of Tasmania" in first.output_text
    assert client.responses.retrieve(first.id).output_text == first.output_text
    second = client.responses.create(
        model="orderly", input="How long is the term?", tools=[{"type": "file_search"}], previous_response_id=first.id
    )
    assert (second.status, second.conversation.id) == ("completed", chat)
    assert "five (5) years" in second.output_text
    for refused in (first.id, second.id):
        with pytest.raises(openai.NotFoundError):
            colleague.responses.retrieve(refused)
        client.responses.delete(refused)


def test_a_chat_that_a_header_names_is_the_conversation(client: openai.OpenAI, chat: str) -> None:
    named = client.with_options(default_headers={"orderly-chat": chat})
    asked: Any = {"model": "orderly", "input": QUESTION, "tools": [{"type": "file_search"}]}
    first = named.responses.create(**asked, include=["file_search_call.results"])
    assert first.conversation is not None and first.conversation.id == chat
    assert "laws of Tasmania" in first.output_text
    results = next(item for item in first.output if item.type == "file_search_call").results or []
    assert results and all(0 < result.relevance_score <= 1 for result in results)  # type: ignore[attr-defined]
    second = named.responses.create(**asked, previous_response_id=first.id)
    assert second.conversation is not None and second.conversation.id == chat
    completion = named.chat.completions.create(model="orderly", messages=[{"role": "user", "content": "Hello"}])
    assert completion.choices[0].message.content
    assert len(client.conversations.items.list(chat).data) == 4, "chat completions must not write into the chat"


def test_instructions_and_the_history_of_a_stateless_client_are_accepted(server: Server, client: openai.OpenAI) -> None:
    history: Any = [
        {"role": "system", "content": "Answer briefly."},
        {"role": "user", "content": QUESTION},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "New South Wales."}]},
        {"role": "user", "content": "And how long is the term?"},
    ]
    response = client.responses.create(
        model="orderly", input=history, instructions="Use Australian spelling.", tools=search_of(server.office.matter)
    )
    assert response.status == "completed"
    assert response.instructions == "Use Australian spelling."
    items = client.responses.input_items.list(response.id, order="asc").data
    assert [item.content[0].text for item in items] == [QUESTION, "And how long is the term?"]  # type: ignore[union-attr]


def test_a_run_kept_to_unknown_matters_says_so(server: Server) -> None:
    unknown = "00000000-0000-4000-8000-000000000000"
    for context in ({"matter_ids": [unknown]}, {"matter_id": unknown}):
        asked = {"assistant_id": "orderly", "input": {"messages": [{"role": "user", "content": QUESTION}]}, "context": context}
        state = httpx.post(f"{server.url}/runs/wait", json=asked, headers={"x-api-key": server.office.token}, timeout=60).json()
        assert state["messages"][-1]["content"] == f"Matter {unknown} not found or you don't have access."


def test_filters_keep_a_response_to_documents(server: Server, client: openai.OpenAI) -> None:
    def ask(value: str) -> str:
        search = {**search_of(server.office.matter)[0], "filters": {"type": "eq", "key": "filename", "value": value}}
        return client.responses.create(model="orderly", input=QUESTION, tools=[search]).output_text

    assert "lease.txt" in ask("lease.txt")
    with pytest.raises(openai.BadRequestError, match="No document matches the filters"):
        ask("other.txt")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"tools": [{"type": "function", "name": "handoff", "parameters": {}}]}, "leave out the tools of type function"),
        ({"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]}, "its own tools"),
        ({"input": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}, "must be the user's"),
        (
            {"tools": [{"type": "file_search", "vector_store_ids": ["x"], "filters": {"type": "eq", "key": "a", "value": 1}}]},
            "Documents have no attribute 'a' to filter by; they have filename, document_id, created_at",
        ),
        (
            {
                "input": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "input_file", "file_url": "https://example.com/a.pdf"},
                            {"type": "input_text", "text": "What is this?"},
                        ],
                    }
                ]
            },
            "fetches nothing from addresses",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(client: openai.OpenAI, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(openai.BadRequestError, match=said):
        client.responses.create(**{"model": "orderly", "input": "Which law governs?", **asked})


def test_a_file_in_the_input_becomes_a_document_of_the_conversation(client: openai.OpenAI) -> None:
    content = base64.b64encode(b"Loan\n\n1. Interest\n\n1.1 The borrower pays interest of 7 per cent each year.\n").decode()
    part = {"type": "input_file", "filename": "loan.txt", "file_data": f"data:text/plain;base64,{content}"}
    question = {"type": "input_text", "text": "Which interest does the borrower pay?"}
    response = client.responses.create(model="orderly", input=[{"role": "user", "content": [part, question]}])  # type: ignore[list-item]
    assert "7 per cent" in response.output_text


def test_chat_completions_answer_and_stream_with_citations(server: Server, client: openai.OpenAI) -> None:
    asked: Any = {
        "model": "orderly",
        "messages": [{"role": "user", "content": QUESTION}],
        "metadata": {"matter": server.office.matter},
    }
    whole = client.chat.completions.create(**asked)
    message = whole.choices[0].message
    assert "laws of New South Wales" in (message.content or "")
    assert whole.choices[0].finish_reason == "stop"
    assert message.annotations and message.annotations[0].filename == "lease.txt"  # type: ignore[attr-defined]
    chunks = list(client.chat.completions.create(**asked, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == message.content
    assert chunks[-1].choices[0].finish_reason == "stop"
    with pytest.raises(openai.BadRequestError, match="leave out tools"):
        client.chat.completions.create(**asked, tools=[{"type": "function", "function": {"name": "f", "parameters": {}}}])


def test_matters_are_vector_stores_and_documents_are_files(
    server: Server, client: openai.OpenAI, colleague: openai.OpenAI
) -> None:
    with pytest.raises(openai.BadRequestError, match=r"A matter keeps no metadata\. Leave out metadata"):
        client.vector_stores.create(name="Loans", metadata={"file": "2026/17"})
    store = client.vector_stores.create(name="Loans")
    with pytest.raises(openai.APIStatusError, match="Matters are archived"):
        client.vector_stores.delete(store.id)
    sent = client.files.create(
        file=("loan.txt", b"Loan\n\nThe borrower pays interest of 7 per cent each year.\n"), purpose="assistants"
    )
    added = client.vector_stores.files.create_and_poll(vector_store_id=store.id, file_id=sent.id)
    assert (added.id, added.status) == (sent.id, "completed")
    assert store.id in [one.id for one in client.vector_stores.list(limit=100)]
    assert client.vector_stores.retrieve(store.id).file_counts.completed == 1
    found = client.vector_stores.search(store.id, query="interest").data
    assert [one.filename for one in found] == ["loan.txt"] and "7 per cent" in found[0].content[0].text
    for filters, names in (
        ({"type": "eq", "key": "filename", "value": "loan.txt"}, ["loan.txt"]),
        ({"type": "nin", "key": "filename", "value": ["loan.txt"]}, []),
        (
            {
                "type": "and",
                "filters": [{"type": "gt", "key": "created_at", "value": 0}, {"type": "ne", "key": "filename", "value": "x"}],
            },
            ["loan.txt"],
        ),
    ):
        kept = client.vector_stores.search(store.id, query="interest", filters=filters).data  # type: ignore[arg-type]
        assert [one.filename for one in kept] == names
    assert client.files.content(sent.id).read().endswith(b"each year.\n")
    for call in (colleague.vector_stores.retrieve, colleague.vector_stores.files.list):
        with pytest.raises(openai.NotFoundError):
            call(store.id)
    with pytest.raises(openai.NotFoundError):
        colleague.files.content(sent.id)
    client.vector_stores.files.delete(sent.id, vector_store_id=store.id)
    assert client.vector_stores.files.list(store.id).data == []
    assert client.files.retrieve(sent.id).filename == "loan.txt"


def test_conversations_are_threads_and_what_is_not_offered_says_where_to_go(
    server: Server, client: openai.OpenAI, colleague: openai.OpenAI
) -> None:
    conversation = client.conversations.create(metadata={"file": "2026/17"})
    client.responses.create(
        model="orderly", input=QUESTION, tools=search_of(server.office.matter), conversation=conversation.id
    )
    assert client.conversations.retrieve(conversation.id).metadata == {"file": "2026/17"}
    items = client.conversations.items.list(conversation.id, order="asc").data
    assert [item.role for item in items] == ["user", "assistant"]  # type: ignore[union-attr]
    with pytest.raises(openai.NotFoundError):
        colleague.conversations.items.list(conversation.id)
    assert client.conversations.delete(conversation.id).deleted
    assert (wrong := client.with_options(max_retries=0)._client.put("vector_stores")).status_code == 405
    assert wrong.headers["allow"] == "GET, POST"
    assert httpx.put(f"{server.url}/api/matters", headers={"x-api-key": server.office.token}).status_code == 405
    with pytest.raises(openai.NotFoundError, match="does not offer /v1/embeddings"):
        client.embeddings.create(model="orderly", input="x")
