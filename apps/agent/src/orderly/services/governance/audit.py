"""Signs the heads of the audit chains, and verifies the chains against the signatures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from orderly.services.governance.audit_anchors import AnchorStore, check_anchors
from orderly.services.governance.audit_witness import SignedHeads, Witness
from orderly.store.base import WorkerStore
from orderly.store.functions.chains import audit_chains, audit_hashes, heads_signed, unsigned_heads, verify_audit

SIGNED_WITHIN = timedelta(minutes=5)
"""Age from which an entry must be signed. Workers sign every minute."""

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class ChainReport:
    """Result for one chain: the record of a matter, or of a user for entries without a matter."""

    chain: str
    name: str
    entries: int
    unsigned: int
    """Entries newer than the last signature, protected by the chain's hashes only."""
    faults: tuple[str, ...]

    @property
    def intact(self) -> bool:
        return not self.faults


async def sign_heads(worker: WorkerStore, witness: Witness) -> int:
    """Signs the heads of all chains that have grown, and returns their number."""
    signed = 0
    while heads := await unsigned_heads(worker, row_count=_BATCH):
        await asyncio.to_thread(witness.sign, heads)
        await heads_signed(worker, [{"chain": h["chain"], "seq": h["seq"]} for h in heads])
        signed += len(heads)
    return signed


async def verify_record(
    worker: WorkerStore, witness: Witness, only: str | None = None, *, anchors: Sequence[AnchorStore] = ()
) -> tuple[list[ChainReport], list[str]]:
    """Verifies every chain. Returns the verdicts, and the faults of the files of signed heads, also against their anchors.

    `only`: a matter's id or number, or a user's id or e-mail. Includes chains that exist only in the signed heads.
    """
    signed = await asyncio.to_thread(witness.read_heads)
    chains = [(c["chain"], c["name"], c["signed_seq"]) for c in await audit_chains(worker)]
    gone = sorted(signed.heads.keys() - {chain for chain, _, _ in chains})
    chains += [(chain, chain, 0) for chain in gone]
    wanted = [c for c in chains if only is None or only.lower() in (c[0], c[1].lower())]
    verdicts = [await _verify_chain(worker, signed, *c) for c in wanted]
    return verdicts, [*signed.faults, *await check_anchors(witness, anchors)]


async def _verify_chain(worker: WorkerStore, heads: SignedHeads, chain: str, name: str, signed_seq: int) -> ChainReport:
    own = await verify_audit(worker, chain, after_seq=max(heads.heads.get(chain, {}), default=0))
    # Retention records the entries that it trims in a signed entry, so signatures up to `trimmed_to` are skipped.
    signed = {seq: digest for seq, digest in heads.heads.get(chain, {}).items() if seq > own["trimmed_to"]}
    current = await audit_hashes(worker, chain, sorted(signed))
    faults = []
    if not own["intact"]:
        faults.append(f"Entry {own['broken_at']} was changed, or one at that place removed.")
    if lost := [seq for seq in sorted(signed) if str(seq) not in current]:
        faults.append(f"Entry {lost[0]} was signed and is gone: the end of the record was cut off.")
    if changed := [seq for seq in sorted(signed) if current.get(str(seq), signed[seq]) != signed[seq]]:
        faults.append(f"Entry {changed[0]} is not the one that was signed: the record was written anew.")
    last = max(signed, default=0)
    if max(last, own["trimmed_to"]) < signed_seq:
        faults.append(f"Entry {signed_seq} was signed, and its signature is not on file here.")
    if own["first_after"] is not None and datetime.fromisoformat(own["first_after"]) < datetime.now(UTC) - SIGNED_WITHIN:
        faults.append(
            f"Entries since {own['first_after']} are not signed. Workers sign every minute, or `orderly audit sign`: either "
            "none was running, or signing was prevented."
        )
    unsigned = own["trimmed_to"] + own["entries"] - max(last, own["trimmed_to"])
    return ChainReport(chain, name, own["entries"], max(unsigned, 0), tuple(faults))
