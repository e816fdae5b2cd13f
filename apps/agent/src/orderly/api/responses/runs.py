"""One response as a run on the server's own threads, so that chats of every door are the same chats under the same rules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from orderly.api.responses.events import Event, ResponseEvents, file_citations
from orderly.api.responses.requests import MODEL, ResponseRequest
from orderly.errors import Conflict, NotFound, OrderlyError
from orderly.models import Caller
from orderly.tools.file_search_events import PREFIX
from orderly.wiring import Services


class RunFailed(OrderlyError):
    """The run ended without an answer."""


@dataclass(frozen=True)
class Starting:
    """Where a run goes on: a thread, and the point in it where an earlier response left off."""

    thread_id: str
    checkpoint_id: str | None


def own_server(address: str, token: str) -> LangGraphClient:
    """A client of the server that this runs in, as the caller: their token is what lets them in there, too."""
    return get_client(url=address, headers={"Authorization": f"Bearer {token}"})


async def starting_point(services: Services, caller: Caller, client: LangGraphClient, request: ResponseRequest) -> Starting:
    """Raises NotFound for a conversation or response that is not the caller's."""
    if request.previous_response_id:
        kept = await services.store.rpc(caller, "get_response", {"response_id": request.previous_response_id})
        return Starting(kept["thread_id"], kept["checkpoint_id"])
    if request.chat is None:
        return Starting((await client.threads.create())["thread_id"], None)
    try:
        return Starting((await client.threads.get(request.chat))["thread_id"], None)
    except httpx.HTTPStatusError as error:
        raise NotFound(f"Conversation {request.chat} not found or you don't have access.") from error


async def respond(
    services: Services, caller: Caller, client: LangGraphClient, request: ResponseRequest, start: Starting
) -> AsyncIterator[tuple[Event, dict[str, Any]]]:
    """The events of one response, each with the response object as it then is. The last one is `completed` or `failed`."""
    events = ResponseEvents(request, start.thread_id)
    for event in events.begin():
        yield event, events.body
    values: dict[str, Any] = {}
    try:
        async for kind, data in _run(client, request, start):
            if kind == "values":
                values = data
                continue
            for event in events.search(data):
                yield event, events.body
        text = _answer(values)
        for event in events.answer(text, file_citations(text, values.get("citations") or [])):
            yield event, events.body
        last = list(events.complete())
        if request.store:
            await _keep(services, caller, client, start, events.body, values)
    except OrderlyError as error:
        last = list(events.fail("server_error", error.message))
    for event in last:
        yield event, events.body


async def _run(client: Any, request: ResponseRequest, start: Starting) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """("search", what the search tool told) and ("values", the whole state) of one run.

    Raises:
        Conflict: the conversation is answering already.
        RunFailed: the server could not start or finish the run.
    """
    context = {"max_results": request.max_results} | ({"matter_id": request.matter} if request.matter else {})
    stream = client.runs.stream(
        start.thread_id,
        MODEL,
        input={"messages": request.messages()},
        context=context,
        checkpoint_id=start.checkpoint_id,
        stream_mode=["custom", "values"],
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
            elif kind == "error":
                raise RunFailed("The run ended with an error.")
    except httpx.HTTPStatusError as error:
        raise _refused(error) from error


def _answer(values: dict[str, Any]) -> str:
    messages = values.get("messages") or []
    if not messages or messages[-1].get("type") != "ai":
        raise RunFailed("The run ended without an answer.")
    content = messages[-1]["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


async def _keep(
    services: Services, caller: Caller, client: LangGraphClient, start: Starting, body: dict[str, Any], values: dict[str, Any]
) -> None:
    state = await client.threads.get_state(start.thread_id)
    params = {
        "new_id": body["id"],
        "thread_id": start.thread_id,
        "checkpoint_id": state["checkpoint"]["checkpoint_id"],
        "body": body,
        "document_ids": sorted({c["document_id"] for c in values.get("citations") or []} | _found(body)),
    }
    await services.store.rpc(caller, "save_response", params)


def _found(body: dict[str, Any]) -> set[str]:
    """Documents whose names or words are in the search results of the response."""
    return {result["artifact_id"] for item in body["output"] for result in item.get("results") or []}


def _refused(error: httpx.HTTPStatusError) -> OrderlyError:
    """What the server said to a run that could not be started."""
    if error.response.status_code == 409:
        return Conflict("This conversation is answering already. Wait until it has finished.")
    return RunFailed("The run could not be started.")
