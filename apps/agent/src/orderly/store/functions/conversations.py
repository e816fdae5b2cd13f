"""Conversations: their workspace, what they may go on with, and their end."""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given
from orderly.store.functions.matters import Matter


class ThreadId(TypedDict):
    thread_id: str


class OwnThreads(TypedDict):
    closed: list[str]
    """Conversations that have read what the caller may no longer see."""
    open: list[str] | None
    """The others, the newest first. None: nothing is closed."""


class RunOpening(TypedDict):
    """What every run asks before it begins."""

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
    """Those that would be due if no legal hold kept them."""


class Redaction(TypedDict):
    """A deleted document whose words are to be taken out of conversations."""

    document_id: str
    threads: list[str]
    texts: list[str]


class RedactedDocument(TypedDict):
    document_id: str


async def register_thread(store: Store, caller: Caller, thread_id: str) -> ThreadId:
    """Registers a conversation as the caller's."""
    return await store.rpc(caller, "register_thread", {"thread_id": thread_id})


async def check_thread(store: Store, caller: Caller, thread_id: str, *, opened: bool | None = None) -> ThreadId:
    """Raises NotFound for a conversation that has read what the caller may no longer see.

    `opened`: whether somebody opened the conversation, which goes on record.
    """
    return await store.rpc(caller, "check_thread", {"thread_id": thread_id, **given(opened=opened)}, repeatable=opened is None)


async def my_threads(store: Store, caller: Caller) -> OwnThreads:
    """Lists the caller's conversations if any is closed to them."""
    return await store.rpc(caller, "my_threads", {})


async def chat_workspace(store: Store, caller: Caller, *, make: bool | None = None) -> Matter | None:
    """Finds the workspace of the caller's conversation; `make` creates it where there is none."""
    return await store.rpc(caller, "chat_workspace", given(make=make), repeatable=make is None)


async def run_opening(store: Store, caller: Caller, client_id: str) -> RunOpening:
    """Reads what a run needs before it begins."""
    return await store.rpc(caller, "run_opening", {"client_id": client_id}, repeatable=True)


async def threads_due(worker: WorkerCalls, threads: list[ThreadAge]) -> ThreadsDue:
    """Says which conversations have been kept long enough."""
    return await worker.rpc("threads_due", {"threads": threads})


async def youngest_thread_rule(worker: WorkerCalls) -> int | None:
    """Gives the smallest number of days that any rule keeps conversations; None: there is no rule."""
    return await worker.rpc("youngest_thread_rule", {})


async def forget_threads(worker: WorkerCalls, thread_ids: list[str]) -> int:
    """Removes conversations with their workspaces and responses, and gives their number."""
    return await worker.rpc("forget_threads", {"thread_ids": thread_ids})


async def next_redaction(worker: WorkerCalls) -> Redaction | None:
    """Finds a deleted document whose words may still stand in conversations."""
    return await worker.rpc("next_redaction", {})


async def redaction_done(worker: WorkerCalls, document_id: str) -> RedactedDocument:
    """Reports that a document's words are taken out of all conversations."""
    return await worker.rpc("redaction_done", {"document_id": document_id})
