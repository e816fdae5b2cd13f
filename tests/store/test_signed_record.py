"""Heads of the audit record are signed outside the database, so that later changes inside it are found."""

from __future__ import annotations

import asyncio
import json

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from orderly.services.governance.audit import sign_heads, verify_record
from orderly.services.governance.audit_witness import Witness, block_signing
from store.conftest import Admin


@pytest.fixture
def witness(tmp_path):
    return Witness(tmp_path / "audit", Ed25519PrivateKey.generate(), "node")


@pytest.fixture
async def matter(store, worker_store, make_user, make_matter, witness) -> str:
    """A matter whose record has entries signed in two batches, and one unsigned entry."""
    ada = await make_user("ada@firm.example")
    made = await make_matter(ada)
    await store.rpc(ada, "list_matters", {})
    for _ in range(2):
        await store.rpc(ada, "list_documents", {"matter_ref": made["id"]})
        await store.rpc(ada, "list_documents", {"matter_ref": made["id"]})
        await sign_heads(worker_store, witness)
    await store.rpc(ada, "list_documents", {"matter_ref": made["id"]})
    return str(made["id"])


async def faults_of(worker_store, witness, chain):
    [verdict], faults = await verify_record(worker_store, witness, chain)
    return " ".join((*verdict.faults, *faults))


def rebuild(admin: Admin, chain: str) -> None:
    """Recomputes every hash and the head, as an attacker with control of the database could."""
    admin.execute("alter table audit_log disable row level security")
    previous = ""
    for seq, (id,) in enumerate(
        admin.execute("select id from audit_log where chain = %s order by seq", (chain,)).fetchall(), 1
    ):
        admin.execute("update audit_log set seq = %s, previous_hash = %s where id = %s", (seq, previous, id))
        ((previous,),) = admin.execute(
            "update audit_log a set hash = private.audit_hash(a) where id = %s returning hash", (id,)
        ).fetchall()
    admin.execute("update private.audit_heads set seq = %s, hash = %s where chain = %s", (seq, previous, chain))


async def test_an_untouched_record_is_intact_and_counts_unsigned_entries(worker_store, witness, matter):
    [verdict], faults = await verify_record(worker_store, witness, matter)
    assert (verdict.intact, verdict.unsigned, faults) == (True, 1, [])
    assert await sign_heads(worker_store, witness) == 1
    assert await sign_heads(worker_store, witness) == 0
    everything, _ = await verify_record(worker_store, witness)
    assert len(everything) == 2
    assert all(v.intact and v.unsigned == 0 for v in everything)


@pytest.mark.parametrize("rebuilt", [False, True])
@pytest.mark.parametrize(
    "tampering",
    [
        "update audit_log set detail = '{}' where chain = %(chain)s and seq = 3",
        "delete from audit_log where chain = %(chain)s and seq = 2",
        "delete from audit_log where chain = %(chain)s and seq > 2",
        "delete from audit_log where chain = %(chain)s and seq > 4",
    ],
)
async def test_edited_deleted_and_truncated_entries_are_found_even_in_a_recomputed_chain(
    worker_store, witness, admin, matter, tampering, rebuilt
):
    admin.execute(tampering, {"chain": matter})
    if rebuilt:
        rebuild(admin, matter)
        assert (await worker_store.rpc("verify_audit", {"chain": matter}))["intact"]
    assert await faults_of(worker_store, witness, matter)


async def test_a_completely_deleted_record_is_found(worker_store, witness, admin, matter):
    admin.execute("delete from audit_log where chain = %s", (matter,))
    admin.execute("delete from private.audit_heads where chain = %s", (matter,))
    assert "is gone" in await faults_of(worker_store, witness, matter)


async def test_signatures_of_another_key_are_invalid(worker_store, witness, admin, matter, tmp_path):
    """An attacker controls database and files, but not the key."""
    admin.execute("update audit_log set detail = '{}' where chain = %s and seq = 3", (matter,))
    rebuild(admin, matter)
    [file] = (tmp_path / "audit").iterdir()
    file.unlink()
    admin.execute("update private.audit_heads set signed_seq = 0")
    await sign_heads(worker_store, Witness(tmp_path / "audit", Ed25519PrivateKey.generate(), "node"))
    assert "another key" in await faults_of(worker_store, witness, matter)


async def test_a_changed_or_truncated_signature_file_is_found(worker_store, witness, matter, tmp_path):
    [file] = (tmp_path / "audit").iterdir()
    first, second = file.read_text().splitlines(keepends=True)
    line = json.loads(first)
    line["heads"][0]["hash"] = "0" * 64
    for content, fault in ((json.dumps(line) + "\n" + second, "was changed"), (second, "was removed"), (first, "not on file")):
        file.write_text(content)
        assert fault in await faults_of(worker_store, witness, matter)
    file.write_text(first + second)
    assert not await faults_of(worker_store, witness, matter)


async def test_signing_waits_while_the_signature_files_are_locked(worker_store, witness, matter, tmp_path):
    [file] = (tmp_path / "audit").iterdir()
    with block_signing(tmp_path / "audit") as lengths:
        assert lengths == {file: file.stat().st_size}
        signing = asyncio.create_task(sign_heads(worker_store, witness))
        done, _ = await asyncio.wait([signing], timeout=0.3)
        assert not done
        assert file.stat().st_size == lengths[file]
    assert await signing == 1
    assert file.stat().st_size > lengths[file]


async def test_a_line_truncated_by_a_crash_is_reported_and_the_next_is_readable(worker_store, witness, matter, tmp_path):
    [file] = (tmp_path / "audit").iterdir()
    first, second = file.read_text().splitlines(keepends=True)
    file.write_text(first + second[:40])
    await worker_store.rpc("heads_signed", {"heads": []})
    assert await sign_heads(worker_store, witness) == 1
    found = witness.read_heads()
    assert len(found.faults) == 1
    assert max(found.heads[matter]) == 6


async def test_signing_does_not_block_writers_in_several_matters(
    store, worker_store, make_user, make_matter, witness, database_url
):
    ada = await make_user("ada@firm.example")
    first, second = sorted([str((await make_matter(ada, title=title))["id"]) for title in ("Lease", "Sale")])
    head = "select from private.audit_heads where chain = %s for update"
    async with await psycopg.AsyncConnection.connect(database_url) as recording:
        await recording.execute("set lock_timeout = '2s'")
        await recording.execute(head, (first,))
        signing = asyncio.create_task(
            worker_store.rpc("heads_signed", {"heads": [{"chain": c, "seq": 1} for c in (second, first)]})
        )
        done, _ = await asyncio.wait([signing], timeout=0.5)
        assert not done, "signing must be waiting for the locked chain"
        await recording.execute(head, (second,))
        await recording.commit()
    assert await signing == {"signed": 2}
