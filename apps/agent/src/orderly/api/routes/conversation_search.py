"""Search in the caller's conversations: the words of questions and answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from langgraph_sdk.client import LangGraphClient
from pydantic import BaseModel, Field

from orderly.api.callers import CurrentServices, SignedIn, token_of
from orderly.api.chat_workspaces import listening_address
from orderly.api.errors import error_responses
from orderly.api.responses.runs import own_server_client
from orderly.api.responses.thread_items import Message, spoken, text_of, thread_messages
from orderly.errors import NotFound

router = APIRouter(prefix="/api/conversations", tags=["conversations"], responses=error_responses(403))

LATEST = 200
AT_ONCE = 4
"""Conversations that are read at the same time."""
BEFORE, AFTER = 40, 80
"""Characters of an excerpt on both sides of the words."""


class FoundConversation(BaseModel):
    id: str
    excerpt: str = Field(description="The place of the words in their line.")


@router.get("/found")
async def find_conversations(
    request: Request,
    caller: SignedIn,
    services: CurrentServices,
    words: Annotated[str, Query(min_length=2, max_length=200, description="As written; capitals make no difference.")],
) -> list[FoundConversation]:
    """Find the caller's conversations, of the latest 200, whose questions or answers have these words; latest first."""
    reading = asyncio.Semaphore(AT_ONCE)
    async with own_server_client(listening_address(request), token_of(request, services)) as client:
        threads = await client.threads.search(limit=LATEST, sort_by="updated_at", sort_order="desc")

        async def excerpt(thread: Mapping[str, Any]) -> str:
            async with reading:
                return _excerpt(await _messages(client, thread), words)

        excerpts = await asyncio.gather(*map(excerpt, threads))
    return [FoundConversation(id=t["thread_id"], excerpt=e) for t, e in zip(threads, excerpts, strict=True) if e]


async def _messages(client: LangGraphClient, thread: Mapping[str, Any]) -> list[Message]:
    """The development server lists threads with their values, the production server without."""
    if thread.get("values"):
        return spoken(thread["values"])
    try:
        return await thread_messages(client, thread["thread_id"])
    except NotFound:  # deleted since it was listed
        return []


def _excerpt(messages: list[Message], words: str) -> str:
    wanted = words.casefold()
    for message in messages:
        for line in text_of(message).splitlines():
            at = line.casefold().find(wanted)
            if at >= 0:
                start, end = max(0, at - BEFORE), at + len(words) + AFTER
                return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"
    return ""
