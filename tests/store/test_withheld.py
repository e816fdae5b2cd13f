"""Recorded questions about a group's document are hidden from owners outside the group, even after its passages are deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderly.models import Caller
from store.contract import CONTRACT
from support.revisions import TEST_MODEL, republish, revision_of, vector_of, vector_text

OPEN = "Deliveries are made in Utrecht.\n\nBarges are paid for by the month."
SCAN = "The yellow barge of Utrecht was impounded."


class Firm:
    """Ada (in the group Partners) and Olga (outside it) own a matter with one document of the group and one shared document."""

    def __init__(self, store, worker, admin, ada: Caller, olga: Caller, matter: str, kept: str, shared: str) -> None:
        self.store, self.worker, self.admin = store, worker, admin
        self.ada, self.olga, self.matter, self.kept, self.shared = ada, olga, matter, kept, shared

    async def restrict(self, document: str | None = None) -> None:
        self.admin.execute("update documents set group_id = (select id from groups) where id = %s", (document or self.kept,))

    async def replace_text(self, document: str) -> None:
        await republish(self.store, self.ada, self.worker, revision_of(document, "Nothing of it is left."))

    async def purge(self, document: str) -> None:
        await self.store.rpc(self.ada, "delete_document", {"document_id": document})
        await self.worker.rpc("purge_deleted", {})

    async def details(self, caller: Caller, action: str) -> list[dict | None]:
        told = await self.store.rpc(caller, "list_audit", {"matter_ref": self.matter})
        assert all(e["user_id"] and e["at"] and e["email"] for e in told if e["action"] == action)
        return [e["detail"] for e in told if e["action"] == action]


@pytest.fixture
async def firm(store, worker_store, admin, make_user, make_matter, publish_text):
    ada, olga = await make_user("ada@firm.example"), await make_user("olga@firm.example")
    matter = (await make_matter(ada))["id"]
    own = {"matter_ref": matter, "member_email": "olga@firm.example", "member_role": "owner"}
    await store.rpc(ada, "add_matter_member", own)
    kept = await publish_text(ada, matter, "Falcon.txt", CONTRACT)
    shared = await publish_text(ada, matter, "rates.txt", OPEN)
    admin.execute("insert into groups (tenant_id, name) select id, 'Partners' from tenants")
    admin.execute("insert into group_members select g.id, %s from groups g", (ada.user_id,))
    firm = Firm(store, worker_store, admin, ada, olga, matter, kept, shared)
    await firm.restrict()
    return firm


async def search(firm: Firm, caller: Caller, query: str, action: str = "search_chunks") -> None:
    assert await firm.store.rpc(caller, action, {"matter_id": firm.matter, "query": query})


async def answer(firm: Firm, caller: Caller, question: str) -> None:
    answered = {"question": question, "model": "m", "answer_sha256": "0" * 64, "citations": []}
    await firm.store.rpc(caller, "record_answer", answered)


@pytest.mark.parametrize("gone", ["replace_text", "purge"])
async def test_questions_stay_hidden_after_the_passages_are_deleted(firm, gone):
    await search(firm, firm.ada, "law of Ohio")
    for run, words, document in (("run-1", CONTRACT, firm.kept), ("run-2", OPEN, firm.shared)):
        asking = replace(firm.ada, run_id=run)
        vector = vector_text(vector_of(words))
        near = {"matter_id": firm.matter, "query_embedding": vector, "model": TEST_MODEL, "match_count": 1}
        [hit] = await firm.store.rpc(asking, "match_document_embeddings", near)
        assert hit["document_id"] == document
        await answer(firm, asking, f"What of {run}?")
    await search(firm, firm.ada, "barges Utrecht")
    await getattr(firm, gone)(firm.kept)
    await firm.replace_text(firm.shared)
    # Questions that returned only the shared document stay visible, although its passages are deleted too.
    [none, detail] = await firm.details(firm.olga, "search_chunks")
    assert (none, detail["query"]) == (None, "barges Utrecht")
    assert [d and d["question"] for d in await firm.details(firm.olga, "answer")] == [None, "What of run-2?"]
    replayed = await firm.store.rpc(firm.olga, "replay_run", {"run_id": "run-1"})
    assert (replayed["question"], {e["detail"] and 1 for e in replayed["entries"]}) == (None, {None})
    assert [d["query"] for d in await firm.details(firm.ada, "search_chunks")] == ["law of Ohio", "barges Utrecht"]
    assert (await firm.store.rpc(firm.ada, "replay_run", {"run_id": "run-1"}))["question"] == "What of run-1?"


async def test_passages_fetched_by_id_count_as_their_documents(firm):
    [hit, *_] = await firm.store.rpc(firm.ada, "search_chunks", {"matter_id": firm.matter, "query": "Ohio"})
    near = {"query_embedding": vector_text(vector_of("Ohio")), "model": TEST_MODEL}
    asked = {"matter_id": firm.matter, "chunk_ids": [hit["chunk_id"]], **near}
    assert await firm.store.rpc(replace(firm.ada, run_id="run-1"), "passage_similarities", asked)
    [(given,)] = firm.admin.execute("select detail -> 'given' from audit_log where action = 'passage_similarities'")
    assert given == [firm.kept]


@pytest.mark.parametrize("gone", [None, "purge"])
@pytest.mark.parametrize(
    ("action", "asked"),
    [
        ("matter_texts", {"query": "falcon"}),
        ("search_revision_text", {"query": "impounded"}),
        ("search_visuals", {"query": "signature"}),
        ("named_documents", {"words": "falcon"}),
        ("page_documents", {"name_like": "%falcon%"}),
    ],
)
async def test_queries_without_results_are_hidden_by_the_documents_searched(firm, publish_text, action, asked, gone):
    document = firm.kept
    if action == "search_revision_text":
        document = await publish_text(firm.ada, firm.matter, "scan.txt", SCAN, chunked=False)
        await firm.restrict(document)
    if action == "search_visuals":
        revision = (await firm.store.rpc(firm.ada, "get_document", {"document_id": document}))["revision"]["id"]
        seen = {
            "page": 1,
            "kind": "signature",
            "box": [0, 0, 9, 9],
            "caption": "A signature",
            "words": "Ada",
            "terms": "signed",
        }
        shown = {"revision_id": revision, "engine": "embedded", "status": "ready", "reason": "", "visuals": [seen]}
        await firm.worker.rpc("put_visuals", shown)
    matter = "matter_ref" if action == "page_documents" else "matter_id"
    for caller in (firm.ada, firm.olga):
        assert await firm.store.rpc(caller, action, {matter: firm.matter, **asked}) is not None
    if gone:
        await firm.purge(document)
    # Olga sees her own queries, which returned nothing hidden from her.
    [none, own] = await firm.details(firm.olga, action)
    assert none is None
    [word] = asked.values()
    assert word in own.values()
    told = await firm.details(firm.ada, action)
    assert [(word in d.values(), document in d["given"]) for d in told] == [(True, True), (True, False)]


async def test_a_run_that_found_the_document_by_name_is_hidden(firm, make_matter, publish_text):
    other = (await make_matter(firm.ada, "Another"))["id"]
    await publish_text(firm.ada, other, "Osprey.txt", OPEN)
    third = (await make_matter(firm.ada, "A third", viewers=["olga@firm.example"]))["id"]
    await firm.restrict(await publish_text(firm.ada, third, "Heron.txt", OPEN))
    for name in ("falcon", "osprey", "heron", "rates"):
        asking = replace(firm.ada, run_id=name)
        found = await firm.store.rpc(asking, "find_by_name", {"name": name})
        assert found["total"] == 1
        await search(firm, asking, "barges Utrecht")
        await answer(firm, asking, f"About {name}?")
    told = await firm.details(firm.olga, "answer")
    assert [d and d["question"] for d in told] == [None, None, None, "About rates?"]
    assert (await firm.store.rpc(firm.ada, "replay_run", {"run_id": "falcon"}))["question"] == "About falcon?"
    for run, question in (("falcon", None), ("osprey", None), ("heron", None), ("rates", "About rates?")):
        assert (await firm.store.rpc(firm.olga, "replay_run", {"run_id": run}))["question"] == question


async def test_a_duplicate_check_before_the_restriction_is_hidden(firm, publish_text):
    checked = {"matter_ref": firm.matter, "filename": "FALCON.txt", "sha256": "0" * 64}
    await firm.store.rpc(firm.ada, "find_duplicates", checked)
    await firm.store.rpc(firm.ada, "find_duplicates", {**checked, "filename": "barges.txt"})
    for gone in (False, True):
        if gone:
            await firm.purge(firm.kept)
        told = await firm.details(firm.olga, "find_duplicates")
        assert [d and d["filename"] for d in told] == [None, "barges.txt"]


async def test_an_old_entry_without_passages_is_hidden(firm, make_matter, publish_text):
    other = (await make_matter(firm.ada, "Another", viewers=["olga@firm.example"]))["id"]
    document = await publish_text(firm.ada, other, "b.txt", OPEN)
    await firm.store.rpc(firm.ada, "search_chunks", {"matter_id": other, "query": "barges"})
    await search(firm, firm.ada, "barges Utrecht")
    for words in ("falcon", "nothing like that"):
        await firm.store.rpc(firm.ada, "named_documents", {"matter_id": firm.matter, "words": words})
    firm.admin.execute("update audit_log set detail = detail - 'given'")
    assert [d["query"] for d in await firm.details(firm.olga, "search_chunks")] == ["barges Utrecht"]
    assert [d and d["words"] for d in await firm.details(firm.olga, "named_documents")] == [None, "nothing like that"]
    for gone in (document, firm.shared):
        await firm.replace_text(gone)
    assert await firm.details(firm.olga, "search_chunks") == [None]
    assert [d["query"] for d in await firm.details(firm.ada, "search_chunks")] == ["barges Utrecht"]
    own = {"matter_ref": other, "member_email": "olga@firm.example", "member_role": "owner"}
    await firm.store.rpc(firm.ada, "add_matter_member", own)
    # The other matter never had a document of a group.
    told = await firm.store.rpc(firm.olga, "list_audit", {"matter_ref": other})
    assert "barges" in str(told)
