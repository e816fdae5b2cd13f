"""Runs one response on a thread of the server, so that threads and access rules are the same for every interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from orderly.agent.middleware.found_so_far import STOPPED
from orderly.agent.run import Unclear
from orderly.agent.tools.file_search_events import PREFIX
from orderly.api.responses.events import Event, ResponseEvents
from orderly.api.responses.input_items import Asked
from orderly.api.responses.requests import MODEL, ResponseRequest
from orderly.errors import Conflict, NotFound, OrderlyError, RunFailed
from orderly.models import Caller
from orderly.store.functions.responses import get_response, save_response
from orderly.wiring.services import Services


@dataclass(frozen=True)
class StartingPoint:
    """The thread of a run, and the checkpoint of the earlier response that the run continues."""

    thread_id: str
    checkpoint_id: str | None = None
    waits: bool = False
    """The thread is interrupted by a question to the user; the input is the answer."""


def own_server_client(address: str, token: str) -> LangGraphClient:
    """A client of this process's LangGraph server, authenticated with the caller's token."""
    return get_client(url=address, headers={"Authorization": f"Bearer {token}"})


async def starting_point(
    services: Services, caller: Caller, client: LangGraphClient, request: ResponseRequest
) -> StartingPoint:
    """Finds or creates the thread of a request. Raises NotFound for another user's conversation or response.

    A chat that the caller names with the request (`caller.thread_id`) is its conversation, unless it names one itself.
    """
    if request.previous_response_id:
        stored = await get_response(services.store, caller, request.previous_response_id)
        return await _continue_thread(client, stored["thread_id"], stored["checkpoint_id"])
    chat = request.chat or caller.thread_id
    if chat is None:
        return StartingPoint((await client.threads.create())["thread_id"])
    return await _continue_thread(client, chat, None)


async def _continue_thread(client: LangGraphClient, thread_id: str, checkpoint_id: str | None) -> StartingPoint:
    try:
        state = await client.threads.get_state(thread_id, checkpoint_id=checkpoint_id)
    except httpx.HTTPStatusError as error:
        raise NotFound(f"Conversation {thread_id} not found or you don't have access.") from error
    return StartingPoint(thread_id, checkpoint_id, any(task["interrupts"] for task in state["tasks"]))


async def respond(
    services: Services,
    caller: Caller,
    client: LangGraphClient,
    request: ResponseRequest,
    matter_ids: Sequence[str],
    document_ids: Sequence[str] | None,
    start: StartingPoint,
) -> AsyncIterator[tuple[Event, dict[str, Any]]]:
    """Yields the events of one response, each with the current response object. The last is `completed` or `failed`.

    `matter_ids`: ids of the matters that the request names, already checked against the caller's access.
    `document_ids`: ids of the documents that its filters leave; None without filters.
    """
    events = ResponseEvents(request, start.thread_id)
    for event in events.begin():
        yield event, events.body
    values: dict[str, Any] = {}
    try:
        async for kind, data in _run(client, request, matter_ids, document_ids, start):
            if kind == "values":
                values = data
            elif kind == "usage":
                events.count(data)
            for event in _events_of_part(events, kind, data):
                yield event, events.body
        for event in _final_events(events, values):
            yield event, events.body
        stopped = _stopped(values)
        last = list(events.fail(*stopped)) if stopped else list(events.complete())
        if request.store:
            await _save(services, caller, client, start, events.full_body, values)
    except OrderlyError as error:
        last = list(events.fail("server_error", error.message))
    for event in last:
        yield event, events.body


def _events_of_part(events: ResponseEvents, kind: str, data: Any) -> Iterator[Event]:
    """Converts one part of a run's stream to events."""
    if kind == "search":
        yield from events.search(data)
    elif kind == "text":
        yield from events.text(*data)
    elif kind == "values" and events.open_message in {message["id"] for message in data.get("messages") or []}:
        yield from events.finish_text(data)


def _final_events(events: ResponseEvents, values: dict[str, Any]) -> Iterator[Event]:
    """Events after the end of a run: the open message, and an answer or a question to the user that was not streamed."""
    if events.open_message is not None:
        yield from events.finish_text(values)
    if interrupts := values.get("__interrupt__"):
        message_id, text = str(interrupts[0]["id"]), Unclear(interrupts[0]["value"]).message
    else:
        message_id, text = _answer(values)
    if message_id not in events.streamed_ids:
        yield from events.text(message_id, text)
        yield from events.finish_text(values)


async def _run(
    client: Any, request: ResponseRequest, matter_ids: Sequence[str], document_ids: Sequence[str] | None, start: StartingPoint
) -> AsyncIterator[tuple[str, Any]]:
    """Runs the graph and yields the parts of its stream.

    Parts: ("search", event of the search tool), ("text", (message id, text delta)), ("values", state of the graph), ("usage",
    tokens of one call of the model).

    Raises:
        Conflict: another run of the conversation is in progress.
        RunFailed: the server could not start or finish the run.
    """
    matters = {"matter_id": matter_ids[0]} if len(matter_ids) == 1 else {"matter_ids": list(matter_ids)} if matter_ids else {}
    documents = {"document_ids": list(document_ids)} if document_ids else {}
    asked = request.asked()
    answer = {"resume": "\n".join(asked.questions)}
    stream = client.runs.stream(
        start.thread_id,
        MODEL,
        input=None if start.waits else {"messages": [{"role": "user", "content": text} for text in asked.questions]},
        command=answer if start.waits else None,
        context={"max_results": request.max_results, **matters, **documents, **_client_texts(asked)},
        checkpoint_id=start.checkpoint_id,
        stream_mode=["custom", "values", "messages-tuple"],
        stream_subgraphs=True,
        multitask_strategy="reject",
        on_disconnect="cancel",
    )
    try:
        async for part in stream:
            kind = part.event.partition("|")[0]
            if kind == "custom" and str(part.data.get("type", "")).startswith(PREFIX):
                yield "search", part.data
            elif part.event == "values":
                yield "values", part.data
            elif kind == "messages":
                if usage := part.data[0].get("usage_metadata"):
                    yield "usage", usage
                if part.event == kind and (delta := _text_delta(*part.data)):
                    yield "text", delta
            elif kind == "error":
                raise RunFailed("The run ended with an error.")
    except httpx.HTTPStatusError as error:
        raise _start_error(error) from error


def _client_texts(asked: Asked) -> dict[str, Any]:
    """Settings of the run that hold the client's own texts, which the agents treat as data."""
    texts: dict[str, Any] = {"preferences": asked.instructions} if asked.instructions else {}
    return {**texts, "earlier_answers": list(asked.earlier_answers)} if asked.earlier_answers else texts


def _text_delta(message: dict[str, Any], metadata: dict[str, Any]) -> tuple[str, str] | None:
    """Message id and text, if the orchestrator's model wrote the message; else None."""
    if message["type"] != "AIMessageChunk" or metadata.get("langgraph_node") != "model":
        return None
    text = _text(message["content"])
    return (message["id"], text) if text else None


def _answer(values: dict[str, Any]) -> tuple[str, str]:
    """Id and text of the last message. Raises RunFailed if the assistant did not write the last message."""
    messages = values.get("messages") or []
    if not messages or messages[-1].get("type") != "ai":
        raise RunFailed("The run ended without an answer.")
    return messages[-1]["id"], _text(messages[-1]["content"])


def _stopped(values: dict[str, Any]) -> tuple[str, str] | None:
    """Error code and message, if the chat model failed: the answer then says so, with what was found until then."""
    last = (values.get("messages") or [{}])[-1]
    stopped = (last.get("additional_kwargs") or {}).get(STOPPED)
    if not stopped:
        return None
    return ("rate_limit_exceeded" if stopped["code"] == "busy" else "server_error"), str(stopped["message"])


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


async def _save(
    services: Services,
    caller: Caller,
    client: LangGraphClient,
    start: StartingPoint,
    body: dict[str, Any],
    values: dict[str, Any],
) -> None:
    state = await client.threads.get_state(start.thread_id)
    await save_response(
        services.store,
        caller,
        new_id=body["id"],
        thread_id=start.thread_id,
        checkpoint_id=state["checkpoint"]["checkpoint_id"],
        body=body,
        document_ids=sorted({c["document_id"] for c in values.get("citations") or []} | _found_documents(body)),
    )


def _found_documents(body: dict[str, Any]) -> set[str]:
    """Ids of the documents in the search results of the response."""
    return {result["artifact_id"] for item in body["output"] for result in item.get("results") or []}


def _start_error(error: httpx.HTTPStatusError) -> OrderlyError:
    """Converts the server's refusal to start a run."""
    if error.response.status_code == 409:
        return Conflict("This conversation is answering already. Wait until it has finished.")
    return RunFailed("The run could not be started.")
