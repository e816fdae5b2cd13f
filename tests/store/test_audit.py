"""The record: every reading function appends, nothing is read without it, and tampering is found."""

from __future__ import annotations

import asyncio

import pytest

from orderly.errors import Conflict
from revisions import TEST_MODEL, vector_of, vector_text
from store.test_access import CASES
from store.test_conformance import CONTRACT, SECTIONS


@pytest.fixture
async def ada(make_user):
    return await make_user("ada@firm.example")


@pytest.fixture
async def names(store, ada, make_matter, publish_text):
    matter = await make_matter(ada)
    document = await publish_text(ada, matter["id"], "a.txt", CONTRACT, sections=SECTIONS)
    revision = (await store.rpc(ada, "get_document", {"document_id": document}))["revision"]["id"]
    span = {"document_id": document, "revision_id": revision, "start": 0, "end": 6}
    citation = (await store.rpc(ada, "save_citation", span))["id"]
    chunks = await store.rpc(ada, "search_chunks", {"matter_id": matter["id"], "query": "Ohio"})
    return {
        "matter": matter["id"],
        "number": matter["number"],
        "document": document,
        "revision": revision,
        "citation": citation,
        "chunk": chunks[0]["chunk_id"],
    }


def filled(params, names):
    return {k: v.format(**names) if isinstance(v, str) else v for k, v in params.items()}


READING = [
    "list_matters", "get_matter", "list_matter_members", "list_documents", "get_document", "get_revision", "get_page_lines",
    "get_citation", "match_document_embeddings", "nearest_chunks", "search_chunks", "search_revision_text", "searched_documents",
    "named_documents", "list_engine_usage",
    "get_node", "list_contents", "find_by_name", "document_contents", "read_chunks", "neighbours", "matter_texts", "locate_spans",
    "open_page", "visual_status", "search_visuals",
    "find_duplicates", "list_receipts", "get_health", "get_revision_page",
    "citation_lines", "reading_coverage",
]  # fmt: skip


@pytest.mark.parametrize("function", READING)
async def test_a_reading_function_is_recorded_or_reads_nothing(store, admin, ada, names, function):
    params = filled(CASES[function][0], names)
    await store.rpc(ada, function, params)
    last = admin.execute("select action, user_id::text from audit_log order by id desc limit 1").fetchone()
    assert last == (function, ada.user_id)
    admin.execute(f"alter table audit_log add constraint refused check (action <> '{function}') not valid")
    with pytest.raises(Conflict):
        await store.rpc(ada, function, params)


async def test_a_search_records_what_was_asked_and_which_passages_answered(store, admin, ada, names):
    words = await store.rpc(ada, "search_chunks", {"matter_id": names["matter"], "query": "law of Ohio"})
    ((query, chunks),) = admin.execute("select detail ->> 'query', detail -> 'chunks' from audit_log order by id desc limit 1")
    assert (query, chunks) == ("law of Ohio", [h["chunk_id"] for h in words])
    near = await store.rpc(ada, "match_document_embeddings", {
        "matter_id": names["matter"], "query_embedding": vector_text(vector_of("Ohio")), "model": TEST_MODEL,
    })  # fmt: skip
    ((chunks,),) = admin.execute("select detail -> 'chunks' from audit_log order by id desc limit 1")
    assert chunks == [h["chunk_id"] for h in near]


async def test_an_untouched_chain_is_intact(worker_store, ada, names):
    for chain in (names["matter"], ada.user_id):
        verdict = await worker_store.rpc("verify_audit", {"chain": chain})
        assert verdict["intact"], verdict
    assert (await worker_store.rpc("verify_audit", {"chain": names["matter"]}))["entries"] >= 5


@pytest.mark.parametrize(
    "tampering",
    [
        "update audit_log set detail = '{}' where seq = 3",
        "update audit_log set user_id = gen_random_uuid() where seq = 3",
        "update audit_log set at = at - interval '1 microsecond' where seq = 3",
        "delete from audit_log where seq = 3",
        "delete from audit_log where seq = (select max(seq) from audit_log)",
        "delete from audit_log where seq = 1",
    ],
)
async def test_tampering_is_found(worker_store, admin, names, tampering):
    admin.execute(tampering)
    verdict = await worker_store.rpc("verify_audit", {"chain": names["matter"]})
    assert not verdict["intact"]
    assert verdict["broken_at"] is not None


async def test_the_session_s_time_zone_does_not_change_the_hashes(admin, names):
    for zone in ("UTC", "Australia/Sydney"):
        admin.execute(f"set timezone = '{zone}'")
        ((verdict,),) = admin.execute("select public.verify_audit(%s)", (names["matter"],))
        assert verdict["intact"], zone


async def test_many_readers_at_once_leave_one_unbroken_chain(store, worker_store, ada, names):
    before = (await worker_store.rpc("verify_audit", {"chain": names["matter"]}))["entries"]
    await asyncio.gather(*(store.rpc(ada, "get_document", {"document_id": names["document"]}) for _ in range(40)))
    assert await worker_store.rpc("verify_audit", {"chain": names["matter"]}) == {
        "entries": before + 40, "intact": True, "broken_at": None,
    }  # fmt: skip
