"""Heads of the audit record are signed outside the database, so that later changes inside it are found."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import httpx
import psycopg
import pytest
import respx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from orderly.errors import StorageFailed
from orderly.services.engines.isaacus import Credentials
from orderly.services.governance import audit_anchors
from orderly.services.governance.anchor_bucket import AnchorBucket
from orderly.services.governance.anchor_folder import AnchorFolder
from orderly.services.governance.anchor_timestamps import TimestampAnchors
from orderly.services.governance.audit import sign_heads, verify_record
from orderly.services.governance.audit_anchors import anchor_heads, check_anchors
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


async def test_entries_that_stay_unsigned_are_a_fault(worker_store, witness, admin, matter):
    assert not await faults_of(worker_store, witness, matter)
    admin.execute("update audit_log set at = now() - interval '4 minutes' where chain = %s and seq = 6", (matter,))
    rebuild(admin, matter)
    assert not await faults_of(worker_store, witness, matter)
    admin.execute("update audit_log set at = now() - interval '6 minutes' where chain = %s and seq = 6", (matter,))
    rebuild(admin, matter)
    assert "are not signed" in await faults_of(worker_store, witness, matter)
    await sign_heads(worker_store, witness)
    assert not await faults_of(worker_store, witness, matter)


async def test_without_any_signature_old_entries_are_a_fault(worker_store, witness, admin, matter, tmp_path):
    """An attacker removed the files, and set back what the database knows of them."""
    [file] = (tmp_path / "audit").iterdir()
    file.unlink()
    admin.execute("update private.audit_heads set signed_seq = 0")
    admin.execute("update audit_log set at = at - interval '1 hour'")
    rebuild(admin, matter)
    assert "are not signed" in await faults_of(worker_store, witness, matter)


# ---------------------------------------------------------------- anchors


class Bucket:
    """An S3 bucket with object lock."""

    url = "https://record.s3.ap-southeast-2.amazonaws.com"

    def __init__(self) -> None:
        self.objects: dict[str, httpx.Request] = {}

    def answer(self, request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=KEY/")
        assert request.headers["x-amz-content-sha256"] == hashlib.sha256(request.content).hexdigest()
        if request.method == "PUT":
            self.objects[request.url.path.removeprefix("/")] = request
            return httpx.Response(200)
        keys = sorted(self.objects)
        first = [key for key in keys if key > request.url.params.get("continuation-token", "")][:2]
        more = f"<NextContinuationToken>{first[-1]}</NextContinuationToken>" if first and first[-1] != keys[-1] else ""
        listed = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in first)
        body = f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{listed}{more}</ListBucketResult>'
        return httpx.Response(200, text=body)


class Authority:
    """A time-stamping authority, by the openssl command."""

    url = "https://time.example/tsr"

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder, self.roots = folder, folder / "root.pem"
        (folder / "tsa.cnf").write_text(TSA)
        (folder / "serial").write_text("01")
        self._openssl("req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 2 -subj /CN=Root")
        self._openssl("req -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.csr -subj /CN=TSA")
        signed = "x509 -req -in tsa.csr -CA root.pem -CAkey root.key -CAcreateserial -days 2 -out tsa.pem"
        self._openssl(f"{signed} -extfile tsa.cnf -extensions usage")

    def answer(self, request: httpx.Request) -> httpx.Response:
        (self._folder / "query").write_bytes(request.content)
        self._openssl("ts -reply -config tsa.cnf -queryfile query -out reply")
        return httpx.Response(200, content=(self._folder / "reply").read_bytes())

    def _openssl(self, command: str) -> None:
        subprocess.run(["openssl", *command.split()], cwd=self._folder, check=True, capture_output=True)


TSA = """
[tsa]
default_tsa = authority
[authority]
serial = ./serial
signer_cert = ./tsa.pem
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256, sha512
ess_cert_id_alg = sha256
[usage]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
"""


@pytest.fixture(params=["folder", "bucket", "timestamps"])
def anchors(request, tmp_path):
    """The place of the anchors, with a router of the outside world."""
    with respx.mock(assert_all_called=False) as world:
        if request.param == "folder":
            (tmp_path / "other-volume").mkdir()
            yield AnchorFolder(tmp_path / "other-volume")
        elif request.param == "bucket":
            bucket = Bucket()
            world.route(host="record.s3.ap-southeast-2.amazonaws.com").mock(side_effect=bucket.answer)
            yield AnchorBucket(bucket.url, Credentials("KEY", "secret"), "ap-southeast-2", 30)
            assert bucket.objects
            for put in bucket.objects.values():
                until = datetime.fromisoformat(put.headers["x-amz-object-lock-retain-until-date"])
                assert put.headers["x-amz-object-lock-mode"] == "COMPLIANCE"
                assert timedelta(days=29) < until - datetime.now(UTC) < timedelta(days=31)
        else:
            if shutil.which("openssl") is None:
                pytest.skip("openssl is not installed")
            authority = Authority(tmp_path / "authority")
            world.post(authority.url).mock(side_effect=authority.answer)
            yield TimestampAnchors(authority.url, authority.roots, tmp_path / "other-volume")


async def test_a_record_that_was_shortened_everywhere_is_found_by_its_anchors(
    worker_store, witness, admin, matter, tmp_path, anchors
):
    """An attacker has the database, the files and the key: the last batch disappears from the record and from the signatures."""

    async def faults():
        [verdict], found = await verify_record(worker_store, witness, matter, anchors=[anchors])
        return " ".join((*verdict.faults, *found))

    assert await anchor_heads(witness, [anchors]) == 1
    assert await anchor_heads(witness, [anchors]) == 0
    assert not await faults()
    [file] = (tmp_path / "audit").iterdir()
    first, _ = file.read_text().splitlines(keepends=True)
    admin.execute("delete from audit_log where chain = %s and seq > 3", (matter,))
    rebuild(admin, matter)
    admin.execute("update private.audit_heads set signed_seq = 3 where chain = %s", (matter,))
    file.write_text(first)
    assert not await faults_of(worker_store, witness, matter), "without the anchor nothing shows"
    assert "has fewer" in await faults()
    await worker_store.rpc("heads_signed", {"heads": []})
    witness.sign([{"chain": matter, "seq": 3, "hash": json.loads(first)["heads"][0]["hash"]}])
    assert "not the one that was anchored" in await faults()
    file.unlink()
    assert "has fewer" in await faults()


async def test_heads_that_are_not_anchored_for_hours_are_a_fault(worker_store, witness, matter, tmp_path):
    (tmp_path / "other-volume").mkdir()
    place = AnchorFolder(tmp_path / "other-volume")
    assert await check_anchors(witness, [place]) == []
    later = await witness.lines_before(datetime.now(UTC) + timedelta(minutes=1))
    assert list(later.values()) == [2]
    with patch.object(audit_anchors, "GRACE", timedelta(0)):
        [fault] = await check_anchors(witness, [place])
    assert "was not anchored" in fault
    gone = AnchorFolder(tmp_path / "unmounted")
    [fault] = await check_anchors(witness, [gone])
    assert "could not be checked" in fault
    with pytest.raises(StorageFailed):
        await anchor_heads(witness, [gone, place])
    assert await place.names(), "a place that fails does not keep the others from their anchors"


async def test_a_changed_time_stamp_is_found(worker_store, witness, matter, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    authority, other = Authority(tmp_path / "authority"), Authority(tmp_path / "unknown")
    with respx.mock() as world:
        world.post(authority.url).mock(side_effect=authority.answer)
        place = TimestampAnchors(authority.url, authority.roots, tmp_path / "tokens")
        await anchor_heads(witness, [place])
        world.post(authority.url).mock(side_effect=other.answer)
        with pytest.raises(StorageFailed):
            await place.put("heads-node.jsonl.9." + "0" * 64)
    file = tmp_path / "tokens" / "timestamps.jsonl"
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({**kept, "anchor": kept["anchor"].replace("jsonl.2.", "jsonl.1.")}) + "\n")
    [fault] = await check_anchors(witness, [place])
    assert "is no time stamp of a known authority" in fault
