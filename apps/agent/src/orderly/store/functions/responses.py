"""Stored responses of the OpenAI-compatible API.

SQL: supabase/schemas/13_conversations.sql.
"""

from __future__ import annotations

from typing import Any, TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls


class ResponseId(TypedDict):
    response_id: str


class StoredResponse(ResponseId):
    thread_id: str
    checkpoint_id: str | None
    body: dict[str, Any]
    """The API's JSON."""


class ResponseBody(ResponseId):
    body: dict[str, Any]


async def save_response(
    store: Store,
    caller: Caller,
    *,
    new_id: str,
    thread_id: str,
    checkpoint_id: str | None,
    body: dict[str, Any],
    document_ids: list[str],
) -> ResponseId:
    """Stores a response of the caller. Raises Invalid when it quotes a document that the caller may not read."""
    return await store.rpc(
        caller,
        "save_response",
        {"new_id": new_id, "thread_id": thread_id, "checkpoint_id": checkpoint_id, "body": body, "document_ids": document_ids},
    )


async def get_response(store: Store, caller: Caller, response_id: str) -> StoredResponse:
    """Finds a response of the caller."""
    return await store.rpc(caller, "get_response", {"response_id": response_id})


async def delete_response(store: Store, caller: Caller, response_id: str) -> ResponseId:
    """Deletes a response of the caller."""
    return await store.rpc(caller, "delete_response", {"response_id": response_id})


async def responses_of(worker: WorkerCalls, threads: list[str]) -> list[ResponseBody]:
    """Reads the stored responses of conversations, oldest first."""
    return await worker.rpc("responses_of", {"threads": threads})


async def redact_response(worker: WorkerCalls, response_id: str, body: dict[str, Any]) -> ResponseId:
    """Replaces the body of a stored response."""
    return await worker.rpc("redact_response", {"response_id": response_id, "body": body})
