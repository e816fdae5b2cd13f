"""Retention rules.

SQL: supabase/schemas/14_policies.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.store.base import WorkerCalls
from orderly.store.functions.arguments import given

RetentionKind = Literal["deleted_documents", "page_images", "audit", "threads"]


class RetentionRule(TypedDict):
    tenant: str
    matter_number: str | None
    """None: the whole firm."""
    kind: RetentionKind
    keep_days: int


class ChangedRule(TypedDict):
    tenant: str
    matter_number: str | None
    kind: RetentionKind
    keep_days: int | None
    """None: the rule was removed."""


class RetentionDue(TypedDict):
    kind: RetentionKind
    tenant: str
    matter_number: str | None
    count: int | None
    """None: nothing, like 0."""
    held: int | None
    """Number of expired items under a legal hold."""


async def list_retention(worker: WorkerCalls) -> list[RetentionRule]:
    """Lists all rules."""
    return await worker.rpc("list_retention", {})


async def set_retention(
    worker: WorkerCalls, tenant: str, *, kind: RetentionKind, keep_days: int | None, matter_ref: str | None = None
) -> ChangedRule:
    """Sets a rule for a firm or a matter; `keep_days` None removes it."""
    return await worker.rpc(
        "set_retention", {"tenant": tenant, "kind": kind, "keep_days": keep_days, **given(matter_ref=matter_ref)}
    )


async def retention_due(worker: WorkerCalls) -> list[RetentionDue]:
    """Counts the items whose retention period has ended."""
    return await worker.rpc("retention_due", {})
