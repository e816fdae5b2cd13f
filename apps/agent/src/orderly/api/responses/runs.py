"""One response as a run on the server's own threads, so that chats of every door are the same chats under the same rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from orderly.agent.run import Unclear
from orderly.agent.tools.file_search_events import PREFIX
from orderly.api.responses.events import Event, ResponseEvents
from orderly.api.responses.requests import MODEL, ResponseRequest
from orderly.errors import Conflict, NotFound, OrderlyError
from orderly.models import Caller
from orderly.store.functions.responses import get_response, save_response
from orderly.wiring.services import Services


class RunFailed(OrderlyError):
    """The run ended without an answer."""


@dataclass(frozen=True)
class Starting:
    """Where a run goes on: a thread, and the point in it where an earlier response left off."""

    thread_id: str
    checkpoint_id: str | None = None
    waits: bool = False
    """The conversation has asked the user something: what comes now is the answer."""


def own_server(address: str, token: str) -> LangGraphClient:
    """A client of the server that this runs in, as the caller: their token is what lets them in there, too."""
    return get_client(url=address, headers={"Authorization": f"Bearer {token}"})


async def starting_point(services: Services, caller: Caller, client: LangGraphClient, request: ResponseRequest) -> Starting:
    """Raises NotFound for a conversation or response that is not the caller's."""
    if request.previous_response_id:
        kept = await get_response(services.store, caller, request.previous_response_id)
        return await _going_on(client, kept["thread_id"], kept["checkpoint_id"])
    if request.chat is None:
        return Starting((await client.threads.create())["thread_id"])
    return await _going_on(client, request.chat, None)


async def _going_on(client: LangGraphClient, thread_id: str, checkpoint_id: str | None) -> Starting:
    try:
        state = await client.threads.get_state(thread_id, checkpoint_id=checkpoint_id)
    except httpx.HTTPStatusError as error:
        raise NotFound(f"Conversation {thread_id} not found or you don't have access.") from error
    return Starting(thread_id, checkpoint_id, any(task["interrupts"] for task in state["tasks"]))


async def respond(
    services: Services,
    caller: Caller,
    client: LangGraphClient,
    request: ResponseRequest,
    matter_ids: Sequence[str],
    start: Starting,
) -> AsyncIterator[tuple[Event, dict[str, Any]]]:
    """The events of one response, each with the response object as it then is. The last one is `completed` or `failed`.

    `matter_ids`: of those that the request names, which the caller may see.
    """
    events = ResponseEvents(request, start.thread_id)
    for event in events.begin():
        yield event, events.body
    values: dict[str, Any] = {}
    try:
        async for kind, data in _run(client, request, matter_ids, start):
            if kind == "values":
                values = data
            for event in _told(events, kind, data):
                yield event, events.body
        for event in _ended(events, values):
            yield event, events.body
        last = list(events.complete())
        if request.store:
            await _keep(services, caller, client, start, events.whole, values)
    except OrderlyError as error:
        last = list(events.fail("server_error", error.message))
    for event in last:
        yield event, events.body


def _told(events: ResponseEvents, kind: str, data: Any) -> Iterator[Event]:
    """The events that one part of a run's stream amounts to."""
    if kind == "search":
        yield from events.search(data)
    elif kind == "text":
        yield from events.text(*data)
    elif events.open_message in {message["id"] for message in data.get("messages") or []}:
        yield from events.finish_text(data.get("citations") or [])


def _ended(events: ResponseEvents, values: dict[str, Any]) -> Iterator[Event]:
    """What is left to tell when a run has ended: words that were not streamed, and what the user is asked."""
    if events.open_message is not None:
        yield from events.finish_text(values.get("citations") or [])
    if asked := values.get("__interrupt__"):
        message_id, text = str(asked[0]["id"]), Unclear(asked[0]["value"]).message
    else:
        message_id, text = _answer(values)
    if message_id not in events.told:
        yield from events.text(message_id, text)
        yield from events.finish_text(values.get("citations") or [])


async def _run(
    client: Any, request: ResponseRequest, matter_ids: Sequence[str], start: Starting
) -> AsyncIterator[tuple[str, Any]]:
    """("search", what the search tool told), ("text", (id of the message, words)) and ("values", the whole state) of one run.

    Raises:
        Conflict: the conversation is answering already.
        RunFailed: the server could not start or finish the run.
    """
    matters = {"matter_id": matter_ids[0]} if len(matter_ids) == 1 else {"matter_ids": list(matter_ids)} if matter_ids else {}
    messages = request.messages()
    answer = {"resume": "\n".join(message["content"] for message in messages)}
    stream = client.runs.stream(
        start.thread_id,
        MODEL,
        input=None if start.waits else {"messages": messages},
        command=answer if start.waits else None,
        context={"max_results": request.max_results, **matters},
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
            elif part.event == "messages" and (words := _words(*part.data)):
                yield "text", words
            elif kind == "error":
                raise RunFailed("The run ended with an error.")
    except httpx.HTTPStatusError as error:
        raise _refused(error) from error


def _words(message: dict[str, Any], metadata: dict[str, Any]) -> tuple[str, str] | None:
    """Of the orchestrator alone: other nodes' messages, and its subagents', are no part of the answer."""
    if message["type"] != "AIMessageChunk" or metadata.get("langgraph_node") != "model":
        return None
    text = _text(message["content"])
    return (message["id"], text) if text else None


def _answer(values: dict[str, Any]) -> tuple[str, str]:
    """Id and text of the last message."""
    messages = values.get("messages") or []
    if not messages or messages[-1].get("type") != "ai":
        raise RunFailed("The run ended without an answer.")
    return messages[-1]["id"], _text(messages[-1]["content"])


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


async def _keep(
    services: Services, caller: Caller, client: LangGraphClient, start: Starting, body: dict[str, Any], values: dict[str, Any]
) -> None:
    state = await client.threads.get_state(start.thread_id)
    await save_response(
        services.store,
        caller,
        new_id=body["id"],
        thread_id=start.thread_id,
        checkpoint_id=state["checkpoint"]["checkpoint_id"],
        body=body,
        document_ids=sorted({c["document_id"] for c in values.get("citations") or []} | _found(body)),
    )


def _found(body: dict[str, Any]) -> set[str]:
    """Documents whose names or words are in the search results of the response."""
    return {result["artifact_id"] for item in body["output"] for result in item.get("results") or []}


def _refused(error: httpx.HTTPStatusError) -> OrderlyError:
    """What the server said to a run that could not be started."""
    if error.response.status_code == 409:
        return Conflict("This conversation is answering already. Wait until it has finished.")
    return RunFailed("The run could not be started.")
