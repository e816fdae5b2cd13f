"""Conformance suite of the adapters: the same calls give the same JSON and errors."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from orderly.errors import (
    Conflict,
    Denied,
    DocumentNotFound,
    Invalid,
    MatterNotFound,
    NotFound,
    NotReady,
    OrderlyError,
    TakenOver,
)
from orderly.models import Caller, Embedding, Line, Page
from orderly.store.base import Store, WorkerStore
from orderly.store.functions.matters import list_matters
from orderly.store.revision_rows import revision_header
from store.conftest import Adapter
from store.contract import CONTRACT, SECTIONS, upload
from support.revisions import TEST_MODEL, claim, publish, register_text, republish, revision_of, vector_of, vector_text


@pytest.fixture
def store(adapter: Adapter) -> Store:
    return adapter.store


@pytest.fixture
def worker_store(adapter: Adapter) -> WorkerStore:
    return adapter.worker


@pytest.fixture
async def ada(make_user) -> Caller:
    return await make_user("ada@firm.example")


@pytest.fixture
async def matter(make_matter, ada) -> str:
    made: dict[str, Any] = await make_matter(ada, "Lease of the north mill")
    return made["id"]


@pytest.fixture
async def document(publish_text, ada, matter) -> str:
    return await publish_text(ada, matter, "lease.txt", CONTRACT, sections=SECTIONS)


def nearest(matter_id: str, text: str, **more: Any) -> dict[str, Any]:
    return {"matter_id": matter_id, "query_embedding": vector_text(vector_of(text)), "model": TEST_MODEL, **more}


async def test_whoami_names_the_caller_and_the_tenant(store, ada):
    me = await store.rpc(ada, "whoami", {})
    assert me["user_id"] == ada.user_id
    assert (me["email"], me["tenant_name"], me["is_admin"]) == ("ada@firm.example", "Firm", False)


async def test_a_caller_without_a_profile_is_denied(store):
    for caller in (Caller(str(uuid4())), None):
        with pytest.raises(Denied):
            await store.rpc(caller, "whoami", {})


async def test_matters_are_numbered_by_year_and_found_by_id_and_by_number_in_any_case(store, ada):
    first = await store.rpc(ada, "create_matter", {"title": "One", "number": None})
    second = await store.rpc(ada, "create_matter", {"title": "Two"})
    assert [first["number"], second["number"]] == [f"M-{datetime.now(UTC).year}-00{n}" for n in (1, 2)]
    for ref in (first["id"], first["number"].lower(), f" {first['number']} "):
        assert (await store.rpc(ada, "get_matter", {"matter_ref": ref}))["id"] == first["id"]
    assert [m["title"] for m in await list_matters(store, ada)] == ["One", "Two"]


async def test_matters_created_concurrently_get_different_numbers(store, ada):
    made = await asyncio.gather(*(store.rpc(ada, "create_matter", {"title": str(n)}) for n in range(6)))
    assert len({m["number"] for m in made}) == 6


async def test_a_taken_number_is_a_conflict_and_an_empty_title_invalid(store, ada):
    await store.rpc(ada, "create_matter", {"title": "One", "number": "A-7"})
    with pytest.raises(Conflict, match="a-7 is taken"):
        await store.rpc(ada, "create_matter", {"title": "Two", "number": "a-7"})
    with pytest.raises(Invalid, match="needs a title"):
        await store.rpc(ada, "create_matter", {"title": "  "})


@pytest.mark.parametrize("ref", ["M-2020-404", "no uuid", "", "'; drop table matters", "8c0a1f9e-3b7e-4b60-9d3f-0c5ad2f3c111"])
async def test_a_missing_matter_is_named_by_the_given_reference(store, ada, ref):
    with pytest.raises(MatterNotFound) as caught:
        await store.rpc(ada, "get_matter", {"matter_ref": ref})
    assert caught.value.message == f"Matter {ref} not found or you don't have access."


@pytest.mark.parametrize("ref", ["lease.txt", "", "8c0a1f9e-3b7e-4b60-9d3f-0c5ad2f3c111"])
async def test_a_missing_document_is_named_by_the_given_reference(store, ada, ref):
    with pytest.raises(DocumentNotFound) as caught:
        await store.rpc(ada, "get_document", {"document_id": ref})
    assert caught.value.message == f"Document {ref} not found or you don't have access."


async def test_members_are_added_and_removed_but_not_the_last_owner(store, ada, matter, make_user):
    bob = await make_user("bob@firm.example")
    await make_user("eve@other.example", tenant="Other")
    with pytest.raises(MatterNotFound):
        await store.rpc(bob, "get_matter", {"matter_ref": matter})
    added = {"matter_ref": matter, "member_email": "Bob@firm.example", "member_role": "viewer"}
    assert (await store.rpc(ada, "add_matter_member", added))["role"] == "viewer"
    assert (await store.rpc(bob, "get_matter", {"matter_ref": matter}))["role"] == "viewer"
    assert [m["email"] for m in await store.rpc(bob, "list_matter_members", {"matter_ref": matter})] == [
        "ada@firm.example",
        "bob@firm.example",
    ]
    with pytest.raises(Denied):
        await store.rpc(bob, "remove_matter_member", {"matter_ref": matter, "member_email": "ada@firm.example"})
    with pytest.raises(NotFound, match=r"User eve@other.example not found"):
        await store.rpc(ada, "add_matter_member", {**added, "member_email": "eve@other.example"})
    with pytest.raises(Invalid):
        await store.rpc(ada, "add_matter_member", {**added, "member_role": "king"})
    for attempt in ("remove_matter_member", "add_matter_member"):
        params = {"matter_ref": matter, "member_email": "ada@firm.example"}
        if attempt == "add_matter_member":
            params["member_role"] = "viewer"
        with pytest.raises(Conflict, match="at least one owner"):
            await store.rpc(ada, attempt, params)
    await store.rpc(ada, "remove_matter_member", {"matter_ref": matter, "member_email": "bob@firm.example"})
    with pytest.raises(MatterNotFound):
        await store.rpc(bob, "get_matter", {"matter_ref": matter})


async def test_a_document_goes_from_upload_to_queue_to_ready(store, worker_store, ada, matter):
    made = await store.rpc(ada, "register_document", upload(matter, "Mietvertrag – Ümlaut?.v2.PDF", b"x"))
    document_id = made["document"]["id"]
    assert made["document"]["status"] == "uploading"
    assert made["storage_key"] == f"{made['tenant_id']}/{matter}/{document_id}/Mietvertrag_mlaut_v2.PDF"
    with pytest.raises(NotReady):
        await store.rpc(ada, "get_revision", {"document_id": document_id})
    assert (await store.rpc(ada, "document_stored", {"document_id": document_id}))["status"] == "queued"
    with pytest.raises(Conflict):
        await store.rpc(ada, "document_stored", {"document_id": document_id})
    taken = await take(worker_store, document_id)
    assert (taken["id"], taken["filename"], taken["attempts"]) == (document_id, "Mietvertrag – Ümlaut?.v2.PDF", 1)
    held = {"document_id": document_id, "claim": taken["claim"]}
    await worker_store.rpc("renew_claim", {**held, "stage": "ocr", "stage_done": 2, "stage_total": 9})
    listed = (await store.rpc(ada, "list_documents", {"matter_ref": matter}))["documents"][0]
    assert (listed["status"], listed["stage_done"], listed["stage_total"], listed["has_revision"]) == ("ocr", 2, 9, False)
    await worker_store.publish(revision_of(document_id, CONTRACT, status="partial"), taken["claim"])
    ready = await store.rpc(ada, "get_document", {"document_id": document_id})
    assert (ready["status"], ready["status_reason"], ready["stage"]) == ("partial", "Some pages were not read.", None)
    assert ready["revision"]["char_count"] == len(CONTRACT)


async def test_two_workers_never_claim_the_same_document(store, worker_store, ada, matter):
    for n in range(5):
        document_id = await register_text(store, ada, matter, f"{n}.txt", f"text {n}")
        taken = await asyncio.gather(*(take(worker_store, document_id) for _ in range(8)))
        assert [t["id"] for t in taken if t] == [document_id]


async def test_only_queued_documents_can_be_claimed(store, worker_store, ada, matter, document):
    assert await take(worker_store, document) is None
    made = await store.rpc(ada, "register_document", upload(matter, "a.txt", b"not there yet"))
    assert await take(worker_store, made["document"]["id"]) is None
    for ref in ("nonsense", str(uuid4())):
        with pytest.raises(DocumentNotFound):
            await take(worker_store, ref)


async def test_an_expired_claim_is_taken_over_and_a_renewed_one_is_not(store, worker_store, ada, matter):
    document_id = await register_text(store, ada, matter, "a.txt", "text")
    first = await take(worker_store, document_id)
    assert await take(worker_store, document_id) is None
    await asyncio.sleep(1.1)
    renewal = {"document_id": document_id, "claim": first["claim"], "stage": "ocr", "stage_done": 3, "stage_total": 7}
    await worker_store.rpc("renew_claim", renewal)
    assert await take(worker_store, document_id, lease_seconds=1) is None
    shown = await store.rpc(ada, "get_document", {"document_id": document_id})
    assert (shown["status"], shown["stage_done"], shown["stage_total"]) == ("ocr", 3, 7)
    await asyncio.sleep(1.1)
    second = await take(worker_store, document_id, lease_seconds=1)
    assert (second["claim"], second["attempts"]) == (first["claim"] + 1, 2)


async def test_a_worker_that_lost_its_claim_cannot_change_the_document(store, worker_store, ada, matter, admin):
    document_id = await register_text(store, ada, matter, "a.txt", CONTRACT)
    old = await claim(worker_store, document_id)
    late = revision_of(document_id, "of the worker that was paused")
    begun = {"document_id": document_id, "claim": old, "revision": revision_header(late)}
    await worker_store.rpc("begin_revision", begun)
    new = await claim(worker_store, document_id, lease_seconds=0)
    assert admin.execute("select count(*) from document_revisions").fetchall() == [(0,)], (
        "unpublished revisions must be deleted"
    )
    held = {"document_id": document_id, "claim": old}
    for function, params in (
        ("set_document_status", {**held, "status": "failed"}),
        ("renew_claim", held),
        ("retry_document", {**held, "reason": "", "delay_seconds": 0}),
        ("begin_revision", begun),
        ("add_revision_rows", {**held, "revision_id": late.revision_id, "kind": "pages", "rows": []}),
        ("publish_revision", {**held, "revision_id": late.revision_id, "status": "ready", "reason": "", "embedding_count": 0}),
    ):
        with pytest.raises(TakenOver):
            await worker_store.rpc(function, params)
    with pytest.raises(TakenOver):
        await worker_store.publish(late, old)
    await worker_store.publish(revision_of(document_id, CONTRACT), new)
    for number in (old, new):
        with pytest.raises(TakenOver):
            await worker_store.rpc("set_document_status", {**held, "claim": number, "status": "failed"})
        with pytest.raises(TakenOver):
            await worker_store.publish(late, number)
    assert (await store.rpc(ada, "get_revision", {"document_id": document_id}))["text"] == CONTRACT
    assert admin.execute("select count(*) from document_revisions").fetchall() == [(1,)]


async def test_a_new_order_revokes_the_current_claim(store, worker_store, ada, matter, document):
    await store.rpc(ada, "reprocess_document", {"document_id": document})
    old = await claim(worker_store, document)
    await store.rpc(ada, "register_document", upload(matter, "lease.txt", b"second", on_duplicate="new_version"))
    await store.rpc(ada, "document_stored", {"document_id": document})
    with pytest.raises(TakenOver):
        await worker_store.publish(revision_of(document, "of the old file"), old)
    await publish(worker_store, revision_of(document, "second"))
    assert (await store.rpc(ada, "get_revision", {"document_id": document}))["text"] == "second"


async def test_a_document_fails_after_too_many_attempts_and_can_be_queued_again(store, worker_store, ada, matter):
    document_id = await register_text(store, ada, matter, "poison.txt", "text")
    for attempt in (1, 2):
        assert (await take(worker_store, document_id, lease_seconds=0, max_attempts=2))["attempts"] == attempt
    assert await take(worker_store, document_id, lease_seconds=0, max_attempts=2) is None
    failed = await store.rpc(ada, "get_document", {"document_id": document_id})
    assert failed["status"] == "failed"
    assert "cut short 2 times" in failed["status_reason"]
    await store.rpc(ada, "reprocess_document", {"document_id": document_id})
    assert (await take(worker_store, document_id, max_attempts=2))["attempts"] == 1


async def test_a_postponed_document_has_the_reason(store, worker_store, ada, matter):
    document_id = await register_text(store, ada, matter, "a.txt", "text")
    held = {"document_id": document_id, "claim": await claim(worker_store, document_id)}
    await worker_store.rpc("retry_document", {**held, "reason": "The storage is away.", "delay_seconds": 60})
    waiting = await store.rpc(ada, "get_document", {"document_id": document_id})
    assert (waiting["status"], waiting["status_reason"]) == ("queued", "The storage is away.")
    assert await worker_store.rpc("queue_state", {"lease_seconds": 30}) == {
        "waiting": 0,
        "later": 1,
        "working": 0,
        "workers": 0,
    }
    again = await take(worker_store, document_id)
    assert again["attempts"] == 2
    uncounted = {"document_id": document_id, "claim": again["claim"], "reason": "", "delay_seconds": 0, "counted": False}
    await worker_store.rpc("retry_document", uncounted)
    assert (await take(worker_store, document_id))["attempts"] == 2


async def take(worker: WorkerStore, document_id: str, *, lease_seconds: int = 30, max_attempts: int = 5) -> Any:
    limits = {"lease_seconds": lease_seconds, "max_attempts": max_attempts}
    return await worker.rpc("claim_document", {"document_id": document_id, **limits})


async def test_a_revision_is_returned_as_published(store, worker_store, ada, matter):
    document_id = await register_text(store, ada, matter, "scan.txt", CONTRACT)
    content = revision_of(document_id, CONTRACT, sections=SECTIONS)
    first, second = content.extracted.pages
    first = replace(
        first, label="iv", source="ocr", confidence=91.5, ocr_engine="tesseract", flags=("low_confidence",),
        width=612.0, height=792.0, lines=(Line(0, 6, (72.0, 72.5, 144.25, 84.0)), Line(8, 67, (72.0, 90.0, 500.0, 102.0))),
    )  # fmt: skip
    await publish(worker_store, replace(content, extracted=replace(content.extracted, pages=(first, second))))
    revision = await store.rpc(ada, "get_revision", {"document_id": document_id})
    assert revision["text"] == CONTRACT
    assert revision["pages"][0] == {
        "number": 1, "start": 0, "end": first.end, "label": "iv", "source": "ocr", "confidence": 91.5,
        "flags": ["low_confidence"],
    }  # fmt: skip
    assert [(s["label"], s["title"], s["page_first"], s["page_last"]) for s in revision["sections"]] == [
        ("1", "Term", 1, 1), ("2", "Termination", 1, 1), ("3", "Governing law", 2, 2),
    ]  # fmt: skip
    assert revision["document"]["revision"]["health"] == {"pages": 2}
    page = (await store.rpc(ada, "open_page", {"path_part_id": document_id, "page_number": 1}))["page"]
    assert (page["width"], page["height"]) == (612, 792)
    assert page["lines"][0] == [0, 6, 72.0, 72.5, 144.25, 84.0]
    with pytest.raises(Invalid, match="pages 1 to 2"):
        await store.rpc(ada, "open_page", {"path_part_id": document_id, "page_number": 3})


async def test_the_nearest_passage_comes_first_with_all_fields_of_a_citation(store, ada, matter, document):
    hits = await store.rpc(ada, "match_document_embeddings", nearest(matter, "terminate on thirty days notice", match_count=2))
    assert len(hits) == 2
    best = hits[0]
    assert CONTRACT[best["start"] : best["end"]] == best["text"]
    assert "terminate on thirty days" in best["text"]
    assert (best["document_id"], best["document_name"], best["paged"]) == (document, "lease.txt", True)
    assert (best["section_label"], best["section_title"], best["page_first"]) == ("2", "Termination", 1)
    assert 0 < best["similarity"] <= 1
    inside = nearest(matter, "The law of Ohio governs", match_count=1, within=[document])
    assert "Ohio" in (await store.rpc(ada, "match_document_embeddings", inside))[0]["text"]


async def test_a_chunk_with_several_vectors_is_ranked_by_the_nearest_and_appears_once(store, worker_store, ada, matter):
    document_id = await register_text(store, ada, matter, "long.txt", CONTRACT)
    content = revision_of(document_id, CONTRACT)
    exact = vector_of("zebra")
    await publish(
        worker_store,
        replace(content, embeddings=(*content.embeddings, Embedding(0, 1, exact), Embedding(0, 2, vector_of("x")))),
    )
    hits = await store.rpc(ada, "match_document_embeddings", nearest(matter, "zebra", match_count=50))
    assert hits[0]["ordinal"] == 0
    assert hits[0]["similarity"] == pytest.approx(1)
    assert len({h["chunk_id"] for h in hits}) == len(hits) == len(content.chunks)


async def test_a_slug_is_accepted_wherever_a_matter_is_named(store, ada, document, make_user):
    made = await store.rpc(ada, "create_matter", {"title": "Smith v. Jones & Co (No. 2)", "number": "SJ/17"})
    assert made["slug"] == f"smith-v-jones-co-no-2--{made['id'][:8]}"
    for function, name in (("get_matter", "matter_ref"), ("list_documents", "matter_ref"), ("get_node", "path_part_id")):
        assert made["id"] in json.dumps(await store.rpc(ada, function, {name: f"{made['slug'].upper()} "}))
    bob = await make_user("bob-slug@firm.example")
    with pytest.raises(NotFound):
        await store.rpc(bob, "get_matter", {"matter_ref": made["slug"]})


@pytest.mark.parametrize(("title", "number"), [("株式会社", "7!"), ("M-2026", "001"), ("A B", "C"), ("M", "2026-001")])
async def test_no_slug_is_a_number_or_another_slug(store, ada, title, number):
    numbers = ["7", "M-2026-001", "a-b-c"]
    first = [await store.rpc(ada, "create_matter", {"title": "A", "number": n}) for n in numbers]
    made = await store.rpc(ada, "create_matter", {"title": title, "number": number})
    again = await store.rpc(ada, "create_matter", {"title": title})
    assert len({m["slug"] for m in (*first, made, again)}) == 5
    for matter, its_number in zip(first, numbers, strict=True):
        assert (await store.rpc(ada, "get_matter", {"matter_ref": its_number}))["id"] == matter["id"]
    for forged in (made["slug"], made["slug"].upper(), "x--0123abcd", "chat-0123456789abcdef"):
        with pytest.raises(Invalid, match="must not look like"):
            await store.rpc(ada, "create_matter", {"title": "B", "number": forged})


async def test_a_number_behind_a_wall_gives_nothing_away(store, ada, make_user):
    bob = await make_user("bob-number@firm.example")
    hidden = await store.rpc(ada, "create_matter", {"title": "Secret", "number": "NS-77"})
    taken, free = [await store.rpc(bob, "create_matter", {"title": "Mine", "number": n}) for n in ("ns-77", "NS-78")]
    assert taken.keys() == free.keys() and (taken["number"], taken["role"]) == ("ns-77", free["role"])
    assert (await store.rpc(bob, "get_matter", {"matter_ref": "NS-77"}))["id"] == taken["id"]
    assert (await store.rpc(ada, "get_matter", {"matter_ref": "ns-77"}))["id"] == hidden["id"]
    with pytest.raises(Conflict, match="NS-77 is taken"):
        await store.rpc(bob, "create_matter", {"title": "Again", "number": "NS-77"})
    added = {"matter_ref": hidden["id"], "member_email": "bob-number@firm.example", "member_role": "editor"}
    await store.rpc(ada, "add_matter_member", added)
    for function, name in (("get_matter", "matter_ref"), ("get_node", "path_part_id")):
        with pytest.raises(Invalid, match="2 matters have the number"):
            await store.rpc(bob, function, {name: "NS-77"})
    assert (await store.rpc(bob, "get_matter", {"matter_ref": hidden["slug"]}))["id"] == hidden["id"]


@pytest.mark.parametrize("mark", ["\u202e", "\u2067", "\u061c", "\u200f", "\n", "\u200b", "\u00ad", "\U000e0041"])
async def test_titles_and_names_have_no_marks_of_direction(store, ada, matter, mark):
    forged = f"Lease {mark}fdp.exe"
    sha256 = "0" * 64
    file = {"matter_ref": matter, "filename": forged, "content_type": "text/plain", "size_bytes": 1, "sha256": sha256}
    column = {"title": "Law", "question": "Which law?", "answer_type": "choice", "options": ["A", "B"]}
    review = await store.rpc(ada, "create_review", {"matter_ref": matter, "name": "Leases"})
    added = await store.rpc(ada, "add_review_columns", {"review_id": review["id"], "columns": [column], "cell_limit": 9})
    for function, given in (
        ("create_matter", {"title": forged}),
        ("create_matter", {"title": "A", "number": forged}),
        ("edit_matter", {"matter_ref": matter, "changes": {"title": forged}}),
        ("create_folder", {"matter_ref": matter, "name": forged}),
        ("register_document", file),
        ("create_review", {"matter_ref": matter, "name": forged}),
        ("add_review_columns", {"review_id": review["id"], "columns": [{**column, "title": forged}], "cell_limit": 9}),
        ("add_review_columns", {"review_id": review["id"], "columns": [{**column, "options": ["A", forged]}], "cell_limit": 9}),
        ("edit_review_column", {"column_id": added["columns"][0]["id"], "changes": {"title": forged}}),
        ("edit_review_column", {"column_id": added["columns"][0]["id"], "changes": {"options": ["A", forged]}}),
    ):
        with pytest.raises(Invalid, match="visible text"):
            await store.rpc(ada, function, given)


async def test_a_file_name_that_only_one_has_is_accepted_wherever_a_document_is_named(
    store, ada, matter, make_user, publish_text
):
    made = await publish_text(ada, matter, "Deed of Release.txt", "Released.")
    for function, name in (("get_document", "document_id"), ("owning_document", "document_id"), ("get_node", "path_part_id")):
        assert made in json.dumps(await store.rpc(ada, function, {name: " deed of RELEASE.txt"}))
    bob = await make_user("bob-names@firm.example")
    for person, name in ((bob, "Deed of Release.txt"), (ada, "Deed of Relief.txt")):
        with pytest.raises(NotFound):
            await store.rpc(person, "get_document", {"document_id": name})
    await publish_text(ada, matter, "DEED of release.txt", "Released again.")
    with pytest.raises(Invalid, match=r"2 documents are called 'Deed of Release\.txt'; name one by its id"):
        await store.rpc(ada, "get_document", {"document_id": "Deed of Release.txt"})


async def test_passage_similarities_are_limited_to_the_matter(store, ada, matter, document):
    found = await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "Ohio"})
    other = await store.rpc(ada, "create_matter", {"title": "Another"})
    asked = {**nearest(matter, "The law of Ohio governs"), "chunk_ids": [*(row["chunk_id"] for row in found), str(uuid4())]}
    asked.pop("match_count", None)
    [row] = await store.rpc(ada, "passage_similarities", asked)
    hits = await store.rpc(ada, "match_document_embeddings", nearest(matter, "The law of Ohio governs", match_count=50))
    same = next(hit for hit in hits if hit["chunk_id"] == row["chunk_id"])
    assert row["similarity"] == pytest.approx(same["similarity"])
    assert await store.rpc(ada, "passage_similarities", {**asked, "matter_id": other["id"]}) == []
    assert await store.rpc(ada, "passage_similarities", {**asked, "model": "another"}) == []


async def test_vectors_of_another_model_are_never_compared(store, ada, matter, document):
    assert await store.rpc(ada, "match_document_embeddings", {**nearest(matter, "term"), "model": "another"}) == []


async def test_keywords_are_found_and_rare_ones_weigh_more(store, ada, matter, publish_text):
    await publish_text(
        ada, matter, "common.txt", "\n\n".join(f"The agreement binds party {n} to the agreement." for n in range(8))
    )
    await publish_text(ada, matter, "rare.txt", "An escrow agent is named here.\n\nNothing else.")
    hits = await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "agreement with the escrow agents?"})
    assert "escrow agent" in hits[0]["text"]
    assert len(hits) == 9, "one matching word must be enough"
    assert hits[0]["rank"] > hits[1]["rank"] > 0
    assert await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "the of and"}) == []


async def test_query_operators_are_searched_as_plain_words(store, ada, matter, document):
    for query in ("'", "\\", "a & | ! ( ) :*", "'; drop table chunks; --", "%s {}", "— “quoted” …", ""):
        assert await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": query}) == []


async def test_a_search_is_restricted_to_documents_and_sections(store, ada, matter, document, publish_text):
    other = await publish_text(ada, matter, "other.txt", CONTRACT)
    sections = (await store.rpc(ada, "get_revision", {"document_id": document}))["sections"]
    for function, params in (
        ("search_chunks", {"matter_id": matter, "query": "agreement"}),
        ("match_document_embeddings", nearest(matter, "agreement", match_count=50)),
    ):
        hits = await store.rpc(ada, function, {**params, "within": [other]})
        assert {h["document_id"] for h in hits} == {other}
        hits = await store.rpc(ada, function, {**params, "within": [sections[2]["id"]]})
        assert hits
        assert {(h["document_id"], h["section_title"]) for h in hits} == {(document, "Governing law")}
        everywhere = await store.rpc(ada, function, params)
        assert await store.rpc(ada, function, {**params, "within": []}) == everywhere, "an empty filter is no filter"
        with pytest.raises(DocumentNotFound, match="nonsense"):
            await store.rpc(ada, function, {**params, "within": [other, "nonsense"]})


async def test_a_search_has_a_deterministic_order_even_with_equal_scores(store, ada, matter, publish_text):
    for n in range(4):
        await publish_text(ada, matter, f"{n}.txt", CONTRACT)
    for function, params in (
        ("search_chunks", {"matter_id": matter, "query": "agreement", "match_count": 100}),
        ("match_document_embeddings", nearest(matter, "agreement", match_count=100)),
    ):
        first = await store.rpc(ada, function, params)
        key = "rank" if function == "search_chunks" else "similarity"
        assert [(-h[key], h["chunk_id"]) for h in first] == sorted((-h[key], h["chunk_id"]) for h in first)
        assert all([await store.rpc(ada, function, params) == first for _ in range(3)])


async def test_text_without_chunks_is_searched_directly(store, ada, matter, publish_text):
    text = "Preamble – ümläute.\n" + "filler line\n" * 200 + "The escrow agent keeps the deed.\nEnd."
    await publish_text(ada, matter, "raw.txt", text, chunked=False)
    await publish_text(ada, matter, "chunked.txt", "The escrow agent again.")
    hits = await store.rpc(ada, "search_revision_text", {"matter_id": matter, "query": "escrow deed"})
    assert len(hits) == 1
    assert text[hits[0]["start"] : hits[0]["end"]] == hits[0]["text"]
    assert "The escrow agent keeps the deed." in hits[0]["text"]
    assert (hits[0]["document_name"], hits[0]["page"]) == ("raw.txt", 1)


async def test_a_citation_quotes_the_stored_text_and_one_span_is_one_citation(store, ada, matter, document):
    revision = await store.rpc(ada, "get_revision", {"document_id": document})
    quote = "The law of Ohio governs this agreement — in every respect."
    start = revision["text"].index(quote)
    span = {
        "document_id": document,
        "revision_id": revision["document"]["revision"]["id"],
        "start": start,
        "end": start + len(quote),
    }
    cited = await store.rpc(ada, "save_citation", span)
    assert (cited["quote"], cited["page"], cited["section_title"], cited["current"]) == (quote, 2, "Governing law", True)
    assert await store.rpc(ada, "save_citation", {**span, "page": 2}) == cited
    assert await store.rpc(ada, "get_citation", {"citation_id": cited["id"]}) == cited
    with pytest.raises(Invalid, match="not on page 1"):
        await store.rpc(ada, "save_citation", {**span, "page": 1})
    for bad in ({"start": -1}, {"end": start}, {"end": 10**6}):
        with pytest.raises(Invalid, match="outside"):
            await store.rpc(ada, "save_citation", {**span, **bad})
    with pytest.raises(NotFound):
        await store.rpc(ada, "get_citation", {"citation_id": "nonsense"})


async def test_a_citation_survives_its_revision(store, worker_store, ada, matter, document):
    old = (await store.rpc(ada, "get_document", {"document_id": document}))["revision"]["id"]
    cited = await store.rpc(ada, "save_citation", {"document_id": document, "revision_id": old, "start": 0, "end": 6})
    await republish(store, ada, worker_store, revision_of(document, "Wholly new text."))
    hits = await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "terminate new"})
    assert [h["text"] for h in hits] == ["Wholly new text."]
    kept = await store.rpc(ada, "get_citation", {"citation_id": cited["id"]})
    assert kept == {**cited, "current": False}


async def test_publication_is_atomic(store, worker_store, ada, matter, document):
    before = await store.rpc(ada, "get_revision", {"document_id": document})
    broken = revision_of(document, "First new.\n\nSecond new.")
    twice = replace(broken, chunk_ids=(broken.chunk_ids[0],) * 2)
    short = replace(broken, extracted=replace(broken.extracted, pages=(*broken.extracted.pages, Page(1, 0, 1))))
    await store.rpc(ada, "reprocess_document", {"document_id": document})
    number = await claim(worker_store, document)
    before["document"] |= {"status": "extracting", "stage": "extracting"}
    for content in (twice, short):
        with pytest.raises(Conflict):
            await worker_store.publish(content, number)
        assert await store.rpc(ada, "get_revision", {"document_id": document}) == before
        assert await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "new"}) == []
        assert await store.rpc(ada, "match_document_embeddings", nearest(matter, "First new.", match_count=99)) != []
    await worker_store.publish(broken, number)
    assert (await store.rpc(ada, "get_revision", {"document_id": document}))["text"] == "First new.\n\nSecond new."


async def test_text_with_unstorable_characters_is_refused_with_a_reason(store, worker_store, ada, document):
    for text in ("nul \x00 here", "half \ud800 pair"):
        with pytest.raises(Invalid, match="cannot be stored"):
            await republish(store, ada, worker_store, revision_of(document, text, chunked=False))


async def test_readers_see_either_the_old_or_the_new_revision(store, worker_store, ada, matter, document):
    texts = {n: "\n\n".join(f"version {n} passage {k}" for k in range(30)) for n in range(1, 4)}
    seen: list[set[str]] = []

    async def read() -> None:
        while len(seen) < 200 and not done.is_set():
            hits = await store.rpc(
                ada, "search_chunks", {"matter_id": matter, "query": "version agreement", "match_count": 100}
            )
            seen.append({h["revision_id"] for h in hits})

    done = asyncio.Event()
    reading = asyncio.create_task(read())
    for text in texts.values():
        await republish(store, ada, worker_store, revision_of(document, text))
    done.set()
    await reading
    assert seen
    assert all(len(revisions) == 1 for revisions in seen)


async def test_the_same_content_is_one_document_unless_both_are_requested(store, ada, matter):
    first = await store.rpc(ada, "register_document", upload(matter, "a.txt", b"same"))
    await store.rpc(ada, "document_stored", {"document_id": first["document"]["id"]})
    skipped = await store.rpc(ada, "register_document", upload(matter, "b.txt", b"same"))
    assert (skipped["document"]["id"], skipped["duplicate_of"], skipped["storage_key"]) == (
        first["document"]["id"],
        first["document"]["id"],
        None,
    )
    kept = await store.rpc(ada, "register_document", upload(matter, "b.txt", b"same", on_duplicate="keep"))
    assert kept["document"]["id"] != first["document"]["id"] == kept["duplicate_of"]
    with pytest.raises(Invalid):
        await store.rpc(ada, "register_document", upload(matter, "b.txt", b"same", on_duplicate="perhaps"))


async def test_a_new_version_replaces_the_file_after_its_upload(store, worker_store, ada, matter, document):
    old = await store.rpc(ada, "get_document", {"document_id": document})
    made = await store.rpc(ada, "register_document", upload(matter, "LEASE.txt", b"second", on_duplicate="new_version"))
    assert (made["document"]["id"], made["duplicate_of"]) == (document, document)
    assert made["storage_key"] != old["storage_key"]
    assert (await store.rpc(ada, "get_document", {"document_id": document}))["storage_key"] == old["storage_key"]
    stored = await store.rpc(ada, "document_stored", {"document_id": document})
    assert (stored["status"], stored["storage_key"], stored["size_bytes"]) == ("queued", made["storage_key"], 6)
    assert await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "Ohio"}), (
        "the old revision must stay searchable"
    )
    await publish(worker_store, revision_of(document, "second"))
    await store.rpc(ada, "delete_document", {"document_id": document})
    purged = await worker_store.rpc("purge_deleted", {})
    assert set(purged) == {old["storage_key"], made["storage_key"]}


async def test_a_deleted_document_disappears_at_once_and_leaves_a_receipt(store, worker_store, ada, matter, document):
    cited = await store.rpc(ada, "save_citation", {
        "document_id": document, "start": 0, "end": 6,
        "revision_id": (await store.rpc(ada, "get_document", {"document_id": document}))["revision"]["id"],
    })  # fmt: skip
    receipt = await store.rpc(ada, "delete_document", {"document_id": document})
    assert (receipt["document_id"], receipt["filename"]) == (document, "lease.txt")
    assert (await store.rpc(ada, "list_documents", {"matter_ref": matter}))["documents"] == []
    assert await store.rpc(ada, "search_chunks", {"matter_id": matter, "query": "Ohio"}) == []
    assert await store.rpc(ada, "match_document_embeddings", nearest(matter, "Ohio")) == []
    for function, params in (("get_revision", {"document_id": document}), ("delete_document", {"document_id": document})):
        with pytest.raises(DocumentNotFound):
            await store.rpc(ada, function, params)
    with pytest.raises(NotFound):
        await store.rpc(ada, "get_citation", {"citation_id": cited["id"]})
    with pytest.raises(OrderlyError):
        await worker_store.publish(revision_of(document, "too late"), 1)
    assert len(await worker_store.rpc("purge_deleted", {})) == 1
    with pytest.raises(DocumentNotFound):
        await worker_store.rpc("worker_document", {"document_id": document})
    assert (await worker_store.rpc("stats_for_doctor", {}))["chunks"] == 0


async def test_a_legal_hold_blocks_deletion_and_purge(store, worker_store, admin, ada, matter, document, publish_text):
    await store.rpc(ada, "hold_document", {"document_id": document, "held": True})
    with pytest.raises(Conflict, match="legal hold"):
        await store.rpc(ada, "delete_document", {"document_id": document})
    other = await publish_text(ada, matter, "other.txt", "text")
    await store.rpc(ada, "delete_document", {"document_id": other})
    admin.execute("update documents set legal_hold = true where id = %s", (other,))
    assert await worker_store.rpc("purge_deleted", {}) == []
    admin.execute("update documents set legal_hold = false where id = %s", (other,))
    assert len(await worker_store.rpc("purge_deleted", {})) == 1


async def test_tokens_authenticate_until_they_are_revoked_or_expire(store, worker_store, ada):
    digest = hashlib.sha256(b"token").hexdigest()
    soon = (datetime.now(UTC) + timedelta(seconds=0.4)).isoformat()
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    await worker_store.rpc(
        "issue_token", {"email": "ada@firm.example", "token_sha256": digest, "expires_at": later, "label": "laptop"}
    )
    await worker_store.rpc("issue_token", {"email": "ada@firm.example", "token_sha256": "0" * 64, "expires_at": soon})
    known = await store.rpc(None, "authenticate_token", {"token_sha256": digest})
    assert (known["user_id"], known["email"]) == (ada.user_id, "ada@firm.example")
    assert await store.rpc(None, "authenticate_token", {"token_sha256": "f" * 64}) is None
    await asyncio.sleep(0.5)
    assert await store.rpc(None, "authenticate_token", {"token_sha256": "0" * 64}) is None
    assert await worker_store.rpc("revoke_user", {"email": "ada@firm.example"}) == 1
    assert await store.rpc(None, "authenticate_token", {"token_sha256": digest}) is None
    with pytest.raises(Invalid):
        await worker_store.rpc(
            "issue_token", {"email": "ada@firm.example", "token_sha256": "1" * 64, "expires_at": "2001-01-01"}
        )


async def test_the_operator_functions_report_existing_and_missing_names(worker_store, ada):
    with pytest.raises(Conflict, match="Firm exists already"):
        await worker_store.rpc("create_tenant", {"name": " Firm "})
    with pytest.raises(NotFound, match="Tenant Nowhere not found"):
        await worker_store.rpc("rename_tenant", {"tenant": "Nowhere", "new_name": "Somewhere"})
    assert (await worker_store.rpc("rename_tenant", {"tenant": "Firm", "new_name": " Firm LLP "}))["name"] == "Firm LLP"
    with pytest.raises(Invalid, match="needs a name"):
        await worker_store.rpc("rename_tenant", {"tenant": "Firm LLP", "new_name": " "})
    await worker_store.rpc("rename_tenant", {"tenant": "Firm LLP", "new_name": "Firm"})
    with pytest.raises(Conflict, match="exists already"):
        await worker_store.rpc("create_user", {"email": "ADA@firm.example", "display_name": "A", "tenant": "Firm"})
    with pytest.raises(NotFound, match="Tenant Nowhere not found"):
        await worker_store.rpc("create_user", {"email": "x@y.z", "display_name": "A", "tenant": "Nowhere"})
    with pytest.raises(NotFound, match=r"User no@b.ody not found"):
        await worker_store.rpc("revoke_user", {"email": "no@b.ody"})


async def test_a_value_of_the_wrong_format_is_invalid(store, ada, matter):
    for vector in ("nonsense", "[]", "[NaN]"):
        with pytest.raises(Invalid):
            await store.rpc(
                ada, "match_document_embeddings", {"matter_id": matter, "query_embedding": vector, "model": TEST_MODEL}
            )


async def test_concurrent_callers_never_see_each_others_matters(store, make_user):
    callers = [await make_user(f"{n}@firm.example") for n in range(4)]
    for n, caller in enumerate(callers):
        await store.rpc(caller, "create_matter", {"title": f"of {n}"})

    async def look(n: int) -> None:
        if n % 7 == 3:
            with pytest.raises(MatterNotFound):
                await store.rpc(callers[n % 4], "get_matter", {"matter_ref": "nope"})
        titles = [m["title"] for m in await list_matters(store, callers[n % 4])]
        assert titles == [f"of {n % 4}"]

    await asyncio.gather(*(look(n) for n in range(60)))


async def test_a_cancelled_call_leaves_no_identity_on_the_connection(store, ada, matter, make_user):
    eve = await make_user("eve@firm.example")
    for _ in range(10):
        task = asyncio.create_task(list_matters(store, ada))
        await asyncio.sleep(0.0005)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert await list_matters(store, eve) == []
