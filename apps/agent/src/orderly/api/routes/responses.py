"""Routes of OpenAI's Responses API, for the stock `openai` client with this server's URL and an Orderly token."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from orderly.api.callers import CurrentServices, SignedIn, token_of
from orderly.api.chat_workspaces import listening_address
from orderly.api.errors import openai_error_responses
from orderly.api.responses.events import without_text
from orderly.api.responses.lists import PageQuery, listed
from orderly.api.responses.prepared_run import prepare_run
from orderly.api.responses.requests import INCLUDE_RESULTS, MODEL, ResponseRequest, require_model
from orderly.api.responses.runs import own_server_client
from orderly.api.responses.thread_items import last_question, message_item, thread_messages
from orderly.store.functions import responses

router = APIRouter(prefix="/v1", tags=["responses"], responses=openai_error_responses(403, 404, 409))

Include = Annotated[Sequence[str], Query(alias="include[]", max_length=20, description=f"`{INCLUDE_RESULTS}`.")]
"""OpenAI's clients send the name with brackets."""

_BODY_OR_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The response, or with `stream` its events.",
        "content": {"application/json": {}, "text/event-stream": {}},
    }
}


class Model(BaseModel):
    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = "orderly"


class Models(BaseModel):
    object: str = "list"
    data: list[Model]


class Deleted(BaseModel):
    id: str
    object: str = "response"
    deleted: bool = True


@router.get("/models")
async def list_models(caller: SignedIn) -> Models:
    return Models(data=[Model(id=MODEL)])


@router.get("/models/{model}")
async def get_model(model: str, caller: SignedIn) -> Model:
    require_model(model)
    return Model(id=MODEL)


@router.post("/responses", response_model=None, responses=_BODY_OR_EVENTS)
async def create_response(
    body: ResponseRequest, request: Request, caller: SignedIn, services: CurrentServices
) -> StreamingResponse | dict[str, Any]:
    """Answer a question. With `stream`, the response is a stream of server-sent events."""
    prepared = await prepare_run(request, services, caller, body)
    if not body.stream:
        return [response async for _, response in prepared.events()][-1]

    async def event_lines() -> AsyncIterator[str]:
        async for event, _ in prepared.events():
            yield f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"

    return StreamingResponse(event_lines(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


@router.get("/responses/{response_id}/input_items")
async def list_input_items(
    response_id: str, request: Request, caller: SignedIn, services: CurrentServices, page: Annotated[PageQuery, Query()]
) -> dict[str, Any]:
    """List the user's messages that a stored response answers."""
    stored = await responses.get_response(services.store, caller, response_id)
    async with own_server_client(listening_address(request), token_of(request, services)) as client:
        messages = await thread_messages(client, stored["thread_id"], stored["checkpoint_id"])
    return listed([message_item(message) for message in last_question(messages)], page)


@router.get("/responses/{response_id}")
async def get_response(response_id: str, caller: SignedIn, services: CurrentServices, include: Include = ()) -> dict[str, Any]:
    """Get a stored response; the text of its search results only with `include`."""
    stored = (await responses.get_response(services.store, caller, response_id))["body"]
    if INCLUDE_RESULTS in include:
        return stored
    return {**stored, "output": [without_text(item) for item in stored["output"]]}


@router.delete("/responses/{response_id}")
async def delete_response(response_id: str, caller: SignedIn, services: CurrentServices) -> Deleted:
    await responses.delete_response(services.store, caller, response_id)
    return Deleted(id=response_id)
