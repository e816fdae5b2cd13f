"""Retention: a matter's rule precedes the firm's, and holds prevent deletion."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from orderly.errors import Invalid, NotFound
from orderly.models import Caller
from orderly.services.governance.retention import Due, apply, list_due
from orderly.store.blobs_local import LocalBlobs
from orderly.store.postgres import PostgresStore, PostgresWorkerStore

OLD = "now() - interval '40 days'"


@dataclass(frozen=True)
class Office:
    url: str
    store: PostgresStore
    worker: PostgresWorkerStore
    blobs: LocalBlobs
    ada: Caller
    lease: dict[str, Any]
    deed: dict[str, Any]
    documents: dict[str, str]

    def sql(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as admin:
            cursor = admin.execute(query, values)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    async def rule(self, kind: str, days: int | None, matter: str | None = None) -> None:
        await self.worker.rpc("set_retention", {"tenant": "Firm", "kind": kind, "keep_days": days, "matter_ref": matter})

    async def hold(self, matter: dict[str, Any], held: bool = True) -> None:
        await self.store.rpc(self.ada, "hold_document", {"document_id": self.documents[matter["id"]], "held": held})

    async def due(self, kind: str, conversations: Any = None) -> list[tuple[str | None, int, int]]:
        found: list[Due] = await list_due(self.worker, conversations)
        return [(one.matter, one.count, one.held) for one in found if one.kind == kind]


@pytest.fixture
async def office(
    database_url: str, store: PostgresStore, worker_store: PostgresWorkerStore, make_user: Callable[..., Any],
    make_matter: Callable[..., Any], publish_text: Any, tmp_path: Path,
) -> Office:  # fmt: skip
    ada = await make_user("ada@firm.example")
    lease, deed = await make_matter(ada, "Lease"), await make_matter(ada, "Deed")
    documents = {m["id"]: await publish_text(ada, m["id"], f"{m['title']}.txt", "Some text.") for m in (lease, deed)}
    return Office(database_url, store, worker_store, LocalBlobs(tmp_path / "files"), ada, lease, deed, documents)


async def test_without_rules_nothing_is_deleted(office: Office) -> None:
    office.sql(f"update audit_log set at = {OLD}")
    assert await list_due(office.worker, None) == []
    assert await apply(office.worker, office.blobs, None) == {"page_images": 0, "threads": 0, "audit": 0}


async def test_invalid_rules_are_refused(office: Office) -> None:
    for wrong in ({"kind": "letters"}, {"keep_days": -1}):
        with pytest.raises(Invalid):
            await office.worker.rpc("set_retention", {"tenant": "Firm", "kind": "audit", "keep_days": 1, **wrong})
    for missing in ({"tenant": "Nobody"}, {"matter_ref": "M-1999-001"}):
        with pytest.raises(NotFound):
            await office.worker.rpc("set_retention", {"tenant": "Firm", "kind": "audit", "keep_days": 1, **missing})


async def test_deleted_documents_are_purged_by_their_rule_and_kept_by_a_hold(office: Office) -> None:
    await office.rule("deleted_documents", 30)
    await office.rule("deleted_documents", 60, office.deed["number"])
    for document in office.documents.values():
        await office.store.rpc(office.ada, "delete_document", {"document_id": document})
    await office.worker.rpc("purge_deleted", {})
    assert office.sql("select count(*) from documents") == [(2,)]
    office.sql(f"update documents set deleted_at = {OLD}")
    assert await office.due("deleted_documents") == [(office.lease["number"], 1, 0)]
    office.sql("update documents set legal_hold = true")
    assert await office.due("deleted_documents") == [(office.lease["number"], 0, 1)]
    await office.worker.rpc("purge_deleted", {})
    assert office.sql("select count(*) from documents") == [(2,)]
    office.sql("update documents set legal_hold = false")
    await office.worker.rpc("purge_deleted", {})
    assert office.sql("select matter_id::text from documents") == [(office.deed["id"],)]


async def test_page_images_are_deleted_by_rule_except_those_of_a_held_document(office: Office, tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"png")
    for matter, document in office.documents.items():
        key = f"{uuid4()}/{matter}/{document}/page-1.png"
        await office.blobs.put(key, tmp_path / "x.png")
        office.sql(f"insert into private.page_images values (%s, %s, {OLD})", key, document)
    await office.rule("page_images", 30)
    await office.hold(office.deed)
    assert await office.due("page_images") == [(office.lease["number"], 1, 0), (office.deed["number"], 0, 1)]
    assert (await apply(office.worker, office.blobs, None))["page_images"] == 1
    [left] = (tmp_path / "files").rglob("*.png")
    assert office.documents[office.deed["id"]] in str(left)


def backdate(office: Office, chain: str) -> None:
    """Backdates the oldest three entries of a chain and recomputes the hashes."""
    previous = ""
    for (seq,) in office.sql("select seq from audit_log where chain = %s order by seq", chain):
        at = OLD if seq <= 3 else "at"
        which = "where chain = %s and seq = %s"
        office.sql(f"update audit_log set at = {at}, previous_hash = %s {which}", previous, chain, seq)
        again = f"update audit_log a set hash = private.audit_hash(a) {which} returning hash"
        [(previous,)] = office.sql(again, chain, seq)
    office.sql("update private.audit_heads set hash = %s where chain = %s", previous, chain)


async def test_the_record_is_truncated_by_rule_says_so_and_still_verifies(office: Office) -> None:
    lease, deed = office.lease["id"], office.deed["id"]
    for chain in (lease, deed):
        backdate(office, chain)
        assert (await office.worker.rpc("verify_audit", {"chain": chain}))["intact"]
    await office.rule("audit", 30)
    await office.hold(office.deed)
    assert await office.due("audit") == [(office.lease["number"], 3, 0), (office.deed["number"], 0, 3)]
    assert (await apply(office.worker, office.blobs, None))["audit"] == 3
    told = office.sql("select detail ->> 'to' from audit_log where chain = %s and action = 'trim_audit'", lease)
    assert told == [("3",)]
    verdict = await office.worker.rpc("verify_audit", {"chain": lease})
    assert (verdict["intact"], verdict["trimmed_to"]) == (True, 3)
    assert (await office.worker.rpc("verify_audit", {"chain": deed}))["trimmed_to"] == 0
    assert (await apply(office.worker, office.blobs, None))["audit"] == 0


async def test_a_record_truncated_outside_retention_fails_verification(office: Office) -> None:
    lease = office.lease["id"]
    [(hash_,)] = office.sql("select hash from audit_log where chain = %s and seq = 2", lease)
    office.sql("insert into private.audit_trims values (%s, 2, %s)", lease, hash_)
    office.sql("delete from audit_log where chain = %s and seq <= 2", lease)
    assert not (await office.worker.rpc("verify_audit", {"chain": lease}))["intact"]


class Server:
    """A conversation server with threads of given ages."""

    def __init__(self, threads: dict[str, str]) -> None:
        self.threads = threads

    async def unchanged(self, days: int, after: str, count: int) -> list[dict[str, Any]]:
        at = (datetime.now(UTC) - timedelta(days=40)).isoformat()
        return [
            {"thread_id": t, "user_id": user, "changed_at": at}
            for t, user in sorted(self.threads.items())
            if t > after and days <= 40
        ][:count]

    async def remove(self, thread_ids: Sequence[str]) -> None:
        for thread in thread_ids:
            del self.threads[thread]


async def test_a_conversation_is_deleted_only_if_the_rules_of_all_its_matters_allow(office: Office) -> None:
    user, [lease, deed] = office.ada.user_id, [office.lease["id"], office.deed["id"]]
    server = Server(dict.fromkeys(["idle", "lease", "both", "workspace"], user))
    for thread in server.threads:
        office.sql("insert into threads (thread_id, user_id) values (%s, %s)", thread, user)
    for thread, matter in (("lease", lease), ("both", lease), ("both", deed)):
        office.sql("insert into thread_reads values (%s, %s, %s, null)", thread, user, matter)
    in_workspace = Caller(user, "workspace")
    workspace = await office.store.rpc(in_workspace, "chat_workspace", {"make": True})
    file = {"filename": "a.txt", "content_type": "text/plain", "size_bytes": 1, "sha256": hashlib.sha256(b"a").hexdigest()}
    await office.store.rpc(in_workspace, "register_document", {"matter_ref": workspace["id"], **file})
    await office.rule("threads", 30)
    await office.rule("threads", 60, office.deed["number"])
    await office.hold(office.lease)
    assert await office.due("threads", server) == [(None, 2, 1)]
    assert (await apply(office.worker, office.blobs, server))["threads"] == 2
    assert sorted(server.threads) == ["both", "lease"]
    assert office.sql("select thread_id from threads order by 1") == [("both",), ("lease",)]
    assert office.sql("select status from documents where matter_id = %s", workspace["id"]) == [("deleted",)]
    await office.hold(office.lease, held=False)
    assert (await apply(office.worker, office.blobs, server))["threads"] == 1
    assert sorted(server.threads) == ["both"]


@pytest.mark.parametrize("server_gone", [False, True], ids=["before the server's rows", "after the server's rows"])
async def test_an_interrupted_removal_leaves_no_files_and_answers_of_a_conversation(office: Office, server_gone: bool) -> None:
    class Interrupted(Server):
        async def remove(self, thread_ids: Sequence[str]) -> None:
            if server_gone:
                await super().remove(thread_ids)
            raise ConnectionError

    user, thread = office.ada.user_id, "asked"
    caller = Caller(user, thread)
    office.sql("insert into threads (thread_id, user_id) values (%s, %s)", thread, user)
    workspace = await office.store.rpc(caller, "chat_workspace", {"make": True})
    file = {"filename": "a.txt", "content_type": "text/plain", "size_bytes": 1, "sha256": hashlib.sha256(b"a").hexdigest()}
    await office.store.rpc(caller, "register_document", {"matter_ref": workspace["id"], **file})
    answer = {"new_id": f"resp_{'a' * 32}", "thread_id": thread, "checkpoint_id": "c", "body": {}, "document_ids": []}
    await office.store.rpc(caller, "save_response", answer)
    await office.rule("threads", 30)
    conversations = Interrupted({thread: user})
    with pytest.raises(ConnectionError):
        await apply(office.worker, office.blobs, conversations)
    later = Server(conversations.threads)
    await apply(office.worker, office.blobs, later)
    assert later.threads == {}
    assert office.sql("select id from responses") == []
    assert office.sql("select status from documents where matter_id = %s", workspace["id"]) == [("deleted",)]
