"""External processors that may receive text, limited by the firm and by each matter.

SQL: supabase/schemas/14_policies.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given

Processor = Literal["model", "isaacus", "vision", "colivara"]


class Processors(TypedDict):
    firm: list[Processor] | None
    """None: no limit."""
    matter: list[Processor] | None
    allowed: list[Processor]
    """Processors that both firm and matter allow."""


async def allowed_processors(
    store: Store, caller: Caller, *, matter_ref: str | None = None, document_id: str | None = None, thread_id: str | None = None
) -> list[Processor]:
    """Lists the processors that are allowed for a matter, a document, or all documents read in a conversation.

    Without any of the three: for all matters of the caller.
    """
    return await store.rpc(
        caller,
        "allowed_processors",
        given(matter_ref=matter_ref, document_id=document_id, thread_id=thread_id),
        repeatable=matter_ref is None and document_id is None,
    )


async def document_processors(worker: WorkerCalls, document_id: str) -> list[Processor]:
    """Lists the processors that are allowed for a document."""
    return await worker.rpc("document_processors", {"document_id": document_id})


async def get_processors(store: Store, caller: Caller, *, matter_ref: str | None = None) -> Processors:
    """Reads the limits of the firm, and of a matter if one is named."""
    return await store.rpc(caller, "get_processors", given(matter_ref=matter_ref))


async def set_firm_processors(store: Store, caller: Caller, processors: list[Processor] | None) -> Processors:
    """Limits the processors of the firm; None: no limit. For its administrators."""
    return await store.rpc(caller, "set_firm_processors", {"processors": processors})


async def set_matter_processors(
    store: Store, caller: Caller, matter_ref: str, processors: list[Processor] | None
) -> Processors:
    """Limits the processors of a matter; None: no limit. For its owners."""
    return await store.rpc(caller, "set_matter_processors", {"matter_ref": matter_ref, "processors": processors})
