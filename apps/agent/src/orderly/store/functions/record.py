"""The audit record, and the record of answers.

SQL: supabase/schemas/12_record.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given
from orderly.store.functions.matters import MatterName


class AuditEntry(TypedDict):
    seq: int
    at: str
    user_id: str | None
    """None, like `email`: the operator or a worker."""
    email: str | None
    action: str
    document_id: str | None
    document_name: str | None
    run: str | None
    thread: str | None
    detail: dict[str, object] | None
    """None: the entry concerns documents that the caller cannot access."""
    previous_hash: str
    hash: str


class RunEntry(AuditEntry):
    matter_id: str | None


class CitedSpan(TypedDict):
    document_id: str
    revision_id: str
    start: int
    end: int
    text_sha256: str
    """Hash of the words that the answer showed. Only spans that hold them are recorded."""


class Place(TypedDict):
    """A span that a run cited or read; None if it is deleted or not accessible to the caller."""

    document_id: str | None
    revision_id: str | None
    start: int | None
    end: int | None
    document_name: str | None
    page: int | None
    text: str | None


class ReadPlace(Place):
    chunk_id: str


class Run(TypedDict):
    """A run according to the record."""

    run: str
    thread: str | None
    user_id: str
    email: str | None
    at: str
    question: str | None
    """None: the run concerned documents that the caller cannot access."""
    model: str
    answer_sha256: str
    matters: list[MatterName]
    citations: list[Place]
    passages: list[ReadPlace]
    entries: list[RunEntry]


class RecordedAnswer(TypedDict):
    recorded: int
    """Number of matters whose records contain the answer, at least 1."""
    closed: bool
    """Whether the conversation has read documents that the caller can no longer access."""


class RecordedDenial(TypedDict):
    recorded: bool


class TrimmedChain(TypedDict):
    chain: str
    entries: int
    to: int


async def list_audit(
    store: Store, caller: Caller, matter_ref: str, *, after_seq: int | None = None, row_count: int | None = None
) -> list[AuditEntry]:
    """Lists the entries of a matter's record after a number, in order. For the matter's owners."""
    return await store.rpc(caller, "list_audit", {"matter_ref": matter_ref, **given(after_seq=after_seq, row_count=row_count)})


async def replay_run(store: Store, caller: Caller, run_id: str) -> Run:
    """Reports what a run read and answered. For its user, and for owners of all its matters."""
    return await store.rpc(caller, "replay_run", {"run_id": run_id})


async def record_answer(
    store: Store, caller: Caller, *, question: str, model: str, answer_sha256: str, citations: list[CitedSpan]
) -> RecordedAnswer:
    """Records an answer in each matter that it cites or that its run read."""
    return await store.rpc(
        caller, "record_answer", {"question": question, "model": model, "answer_sha256": answer_sha256, "citations": citations}
    )


async def record_denial(store: Store, caller: Caller, function_name: str, refs: dict[str, str]) -> RecordedDenial:
    """Records a refused call.

    `refs`: ids that were asked for, by argument.
    """
    return await store.rpc(caller, "record_denial", {"function_name": function_name, "refs": refs})


async def trim_audit(worker: WorkerCalls) -> list[TrimmedChain]:
    """Removes entries whose retention period has ended."""
    return await worker.rpc("trim_audit", {})
