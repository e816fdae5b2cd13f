"""OpenAI's conversations: threads of this server. Each belongs to its maker."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import httpx
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from orderly.api.callers import CurrentServices, SignedIn, token_of
from orderly.api.chat_workspaces import listening_address
from orderly.api.errors import openai_error_responses
from orderly.api.responses.lists import PageQuery, listed
from orderly.api.responses.runs import own_server_client
from orderly.api.responses.thread_items import message_item, thread_messages
from orderly.errors import NotFound

router = APIRouter(prefix="/v1/conversations", tags=["conversations"], responses=openai_error_responses(404))

METADATA = "conversation_metadata"
"""Key of a client's own metadata among those of the thread."""


class NewConversation(BaseModel):
    model_config = ConfigDict(extra="ignore")

    metadata: dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=512)]] | None = Field(
        default=None, max_length=16, description="Kept with the conversation, and returned."
    )
    items: list[Any] | None = Field(default=None, max_length=0, description="Must be empty: answers are written by responses.")


@router.post("")
async def create_conversation(
    request: Request, caller: SignedIn, services: CurrentServices, body: NewConversation | None = None
) -> dict[str, Any]:
    async with own_server_client(listening_address(request), token_of(request, services)) as client:
        return _conversation(await client.threads.create(metadata={METADATA: (body and body.metadata) or {}}))


@router.get("/{conversation_id}")
async def get_conversation(
    conversation_id: str, request: Request, caller: SignedIn, services: CurrentServices
) -> dict[str, Any]:
    async with own_server_client(listening_address(request), token_of(request, services)) as client:
        try:
            return _conversation(await client.threads.get(conversation_id))
        except httpx.HTTPStatusError as error:
            raise _not_found(conversation_id) from error


@router.delete("/{conversation_id}")
async def delete_conversation(
    conversation_id: str, request: Request, caller: SignedIn, services: CurrentServices
) -> dict[str, Any]:
    """Delete a conversation with its files, unless they are held."""
    async with own_server_client(listening_address(request), token_of(request, services)) as client:
        try:
            await client.threads.delete(conversation_id)
        except httpx.HTTPStatusError as error:
            raise _not_found(conversation_id) from error
    return {"id": conversation_id, "object": "conversation.deleted", "deleted": True}


@router.get("/{conversation_id}/items")
async def list_conversation_items(
    conversation_id: str, request: Request, caller: SignedIn, services: CurrentServices, page: Annotated[PageQuery, Query()]
) -> dict[str, Any]:
    """List the messages of the user and of the assistant."""
    async with own_server_client(listening_address(request), token_of(request, services)) as client:
        return listed([message_item(message) for message in await thread_messages(client, conversation_id)], page)


def _conversation(thread: Mapping[str, Any]) -> dict[str, Any]:
    made = thread["created_at"]
    moment = made if isinstance(made, datetime) else datetime.fromisoformat(str(made))
    kept = (thread.get("metadata") or {}).get(METADATA) or {}
    return {"id": thread["thread_id"], "object": "conversation", "created_at": int(moment.timestamp()), "metadata": kept}


def _not_found(conversation_id: str) -> NotFound:
    return NotFound(f"Conversation {conversation_id} not found or you don't have access.")
