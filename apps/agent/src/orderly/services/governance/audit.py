"""Signs the heads of the record, and finds what was done to the record since."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from orderly.services.governance.audit_witness import Testimony, Witness
from orderly.store.base import WorkerStore
from orderly.store.functions.chains import audit_chains, audit_hashes, heads_signed, unsigned_heads, verify_audit

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one chain: the record of a matter, or of a person for what concerns no matter."""

    chain: str
    name: str
    entries: int
    unsigned: int
    """Entries newer than the last signature, which only the chain's own hashes protect."""
    faults: tuple[str, ...]

    @property
    def intact(self) -> bool:
        return not self.faults


async def sign_heads(worker: WorkerStore, witness: Witness) -> int:
    """Number of chains signed: all that grew since the last time."""
    signed = 0
    while heads := await unsigned_heads(worker, row_count=_BATCH):
        await asyncio.to_thread(witness.sign, heads)
        await heads_signed(worker, [{"chain": h["chain"], "seq": h["seq"]} for h in heads])
        signed += len(heads)
    return signed


async def verify_record(worker: WorkerStore, witness: Witness, only: str | None = None) -> tuple[list[Verdict], list[str]]:
    """A verdict for every chain, and what is wrong with the signed heads themselves.

    `only`: a matter's id or number, or a person's id or e-mail. Chains of which nothing but a signature is left are among them.
    """
    testimony = await asyncio.to_thread(witness.testimony)
    chains = [(c["chain"], c["name"], c["signed_seq"]) for c in await audit_chains(worker)]
    gone = sorted(testimony.heads.keys() - {chain for chain, _, _ in chains})
    chains += [(chain, chain, 0) for chain in gone]
    wanted = [c for c in chains if only is None or only.lower() in (c[0], c[1].lower())]
    verdicts = [await _verdict(worker, testimony, *c) for c in wanted]
    return verdicts, testimony.faults


async def _verdict(worker: WorkerStore, testimony: Testimony, chain: str, name: str, signed_seq: int) -> Verdict:
    own = await verify_audit(worker, chain)
    # What retention removed, the chain tells of in an entry of its own, which is signed like the others.
    signed = {seq: digest for seq, digest in testimony.heads.get(chain, {}).items() if seq > own["trimmed_to"]}
    there = await audit_hashes(worker, chain, sorted(signed))
    faults = []
    if not own["intact"]:
        faults.append(f"Entry {own['broken_at']} was changed, or one at that place removed.")
    if lost := [seq for seq in sorted(signed) if str(seq) not in there]:
        faults.append(f"Entry {lost[0]} was signed and is gone: the end of the record was cut off.")
    if other := [seq for seq in sorted(signed) if there.get(str(seq), signed[seq]) != signed[seq]]:
        faults.append(f"Entry {other[0]} is not the one that was signed: the record was written anew.")
    last = max(signed, default=0)
    if max(last, own["trimmed_to"]) < signed_seq:
        faults.append(f"Entry {signed_seq} was signed, and its signature is not on file here.")
    unsigned = own["trimmed_to"] + own["entries"] - max(last, own["trimmed_to"])
    return Verdict(chain, name, own["entries"], max(unsigned, 0), tuple(faults))
