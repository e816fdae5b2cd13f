"""Hash chains of the audit record, one per matter and user.

SQL: supabase/schemas/12_record.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.store.base import WorkerCalls
from orderly.store.functions.arguments import given


class Chain(TypedDict):
    chain: str
    """The id of the matter or person."""
    seq: int
    kind: Literal["matter", "person"]
    name: str
    """A matter's number or a user's e-mail address."""
    signed_seq: int


class HeadRef(TypedDict):
    chain: str
    seq: int


class Head(HeadRef):
    """A chain's last entry."""

    hash: str


class SignedHeads(TypedDict):
    signed: int


class ChainVerdict(TypedDict):
    entries: int
    intact: bool
    broken_at: int | None
    trimmed_to: int
    """Entries up to this number were removed by retention."""
    first_after: str | None
    """Time of the first entry after the number that was asked for."""


async def audit_chains(worker: WorkerCalls) -> list[Chain]:
    """Lists all chains."""
    return await worker.rpc("audit_chains", {})


async def verify_audit(worker: WorkerCalls, chain: str, *, after_seq: int | None = None) -> ChainVerdict:
    """Recomputes the hashes of a chain. `after_seq`: number of an entry, for `first_after`."""
    return await worker.rpc("verify_audit", {"chain": chain, **given(after_seq=after_seq)})


async def audit_hashes(worker: WorkerCalls, chain: str, seqs: list[int]) -> dict[str, str]:
    """Returns the hashes of a chain's entries by number; removed entries are omitted."""
    return await worker.rpc("audit_hashes", {"chain": chain, "seqs": seqs})


async def unsigned_heads(worker: WorkerCalls, *, row_count: int | None = None) -> list[Head]:
    """Lists the last entries of chains that have grown since their last signature."""
    return await worker.rpc("unsigned_heads", given(row_count=row_count))


async def heads_signed(worker: WorkerCalls, heads: list[HeadRef]) -> SignedHeads:
    """Reports heads as signed."""
    return await worker.rpc("heads_signed", {"heads": heads})
