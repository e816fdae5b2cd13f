"""Conversations: workspaces, closing after lost access, retention and redaction.

SQL: supabase/schemas/13_conversations.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given
from orderly.store.functions.matters import Matter


class ThreadId(TypedDict):
    thread_id: str


class DeletedThread(ThreadId):
    files: int


class OwnThreads(TypedDict):
    closed: list[str]
    """Conversations with documents that the caller can no longer access."""
    open: list[str] | None
    """The other conversations, newest first. None: none is closed."""


class RunOpening(TypedDict):
    """Data that a run loads at its start."""

    matters: list[Matter]
    workspace: Matter | None
    withheld: list[str]
    """Tools that the firm withholds."""


class ThreadAge(TypedDict):
    thread_id: str
    user_id: str
    changed_at: str


class ThreadsDue(TypedDict):
    due: list[str]
    held: list[str]
    """Expired conversations under a legal hold."""


class Redaction(TypedDict):
    """A deleted document whose words must be redacted from conversations."""

    document_id: str
    threads: list[str]
    texts: list[str]


class RedactedDocument(TypedDict):
    document_id: str


async def register_thread(store: Store, caller: Caller, thread_id: str) -> ThreadId:
    """Registers a conversation as the caller's."""
    return await store.rpc(caller, "register_thread", {"thread_id": thread_id})


async def check_thread(store: Store, caller: Caller, thread_id: str, *, opened: bool | None = None) -> ThreadId:
    """Raises NotFound for a conversation with documents that the caller can no longer access.

    `opened`: whether a user opened the conversation, which is recorded.
    """
    return await store.rpc(caller, "check_thread", {"thread_id": thread_id, **given(opened=opened)}, repeatable=opened is None)


async def delete_thread(store: Store, caller: Caller, thread_id: str) -> DeletedThread:
    """Deletes the files and stored responses of a conversation. Raises Conflict for a file under a legal hold."""
    return await store.rpc(caller, "delete_thread", {"thread_id": thread_id})


async def my_threads(store: Store, caller: Caller) -> OwnThreads:
    """Lists the caller's conversations if any is closed to them."""
    return await store.rpc(caller, "my_threads", {})


async def chat_workspace(store: Store, caller: Caller, *, make: bool | None = None) -> Matter | None:
    """Finds the workspace of the caller's conversation; `make` creates it if it is missing."""
    return await store.rpc(caller, "chat_workspace", given(make=make), repeatable=make is None)


async def run_opening(store: Store, caller: Caller, client_id: str) -> RunOpening:
    """Loads the data that a run needs at its start."""
    return await store.rpc(caller, "run_opening", {"client_id": client_id}, repeatable=True)


async def threads_due(worker: WorkerCalls, threads: list[ThreadAge]) -> ThreadsDue:
    """Selects the conversations whose retention period has ended."""
    return await worker.rpc("threads_due", {"threads": threads})


async def youngest_thread_rule(worker: WorkerCalls) -> int | None:
    """Returns the shortest retention period for conversations, in days; None: there is no rule."""
    return await worker.rpc("youngest_thread_rule", {})


async def empty_threads(worker: WorkerCalls, thread_ids: list[str]) -> int:
    """Deletes the responses and files of conversations, and returns the number of files."""
    return await worker.rpc("empty_threads", {"thread_ids": thread_ids})


async def forget_threads(worker: WorkerCalls, thread_ids: list[str]) -> int:
    """Forgets conversations that the server no longer has, with what they hold, and returns their number."""
    return await worker.rpc("forget_threads", {"thread_ids": thread_ids})


async def next_redaction(worker: WorkerCalls, *, after: str | None = None) -> Redaction | None:
    """Finds a deleted document that is not redacted from all conversations yet. `after`: id of the document found before."""
    return await worker.rpc("next_redaction", given(after=after))


async def redaction_done(worker: WorkerCalls, document_id: str) -> RedactedDocument:
    """Marks a document as redacted from all conversations."""
    return await worker.rpc("redaction_done", {"document_id": document_id})
