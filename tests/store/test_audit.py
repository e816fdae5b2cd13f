"""The audit record: every read appends an entry or fails, and tampering is found."""

from __future__ import annotations

import asyncio
import hashlib
import re
from dataclasses import replace
from unittest.mock import ANY

import pytest

from orderly.errors import Conflict, Denied, NotFound
from orderly.models import Caller
from store.access_cases import CASES
from store.contract import CONTRACT, SECTIONS
from support.revisions import TEST_MODEL, vector_of, vector_text


@pytest.fixture
async def ada(make_user, worker_store):
    made = await make_user("ada@firm.example", is_admin=True)
    await worker_store.rpc("set_conflicts_officer", {"email": "ada@firm.example", "is_officer": True})
    return made


@pytest.fixture
async def names(store, ada, make_matter, publish_text):
    matter = await make_matter(ada)
    document = await publish_text(ada, matter["id"], "a.txt", CONTRACT, sections=SECTIONS)
    revision = (await store.rpc(ada, "get_document", {"document_id": document}))["revision"]["id"]
    span = {"document_id": document, "revision_id": revision, "start": 0, "end": 6}
    citation = (await store.rpc(ada, "save_citation", span))["id"]
    asking = Caller(ada.user_id, run_id="run-1")
    chunks = await store.rpc(asking, "search_chunks", {"matter_id": matter["id"], "query": "Ohio"})
    answered = {"question": "Which law?", "model": "m", "answer_sha256": "0" * 64, "citations": [span]}
    await store.rpc(asking, "record_answer", answered)
    return {
        "run": "run-1",
        "matter": matter["id"],
        "number": matter["number"],
        "document": document,
        "revision": revision,
        "citation": citation,
        "chunk": chunks[0]["chunk_id"],
    }


def filled(params, names):
    return {k: v.format(**names) if isinstance(v, str) else v for k, v in params.items()}


async def test_an_answer_is_recorded_with_the_places_whose_words_stand_there(store, admin, ada, names):
    place = {"document_id": names["document"], "revision_id": names["revision"], "start": 0, "end": 6}
    true, false = (hashlib.sha256(words.encode()).hexdigest() for words in (CONTRACT[:6], "No one"))
    asking = Caller(ada.user_id, run_id="run-2")
    citations = [
        {**place, "text_sha256": true},
        {**place, "text_sha256": false},
        {**place, "end": len(CONTRACT) + 1, "text_sha256": true},
        {**place, "revision_id": names["document"], "text_sha256": true},
    ]
    await store.rpc(asking, "record_answer", {"question": "Q", "model": "m", "answer_sha256": "0" * 64, "citations": citations})
    ((cited,),) = admin.execute("select detail -> 'citations' from audit_log where action = 'answer' order by id desc limit 1")
    assert cited == [place]


async def test_the_answer_of_a_run_is_recorded_once(store, admin, ada, names):
    """A run that is continued after a restart records its answer again."""
    answered = {"question": "Which law?", "model": "m", "answer_sha256": "0" * 64, "citations": []}
    for run, question in (
        ("run-1", answered),
        ("run-2", answered),
        ("run-2", answered),
        ("run-2", {**answered, "answer_sha256": "1" * 64}),
    ):
        await store.rpc(Caller(ada.user_id, run_id=run), "record_answer", question)
    rows = admin.execute(
        "select detail ->> 'run', detail ->> 'answer_sha256' from audit_log where action = 'answer' order by id"
    )
    assert rows.fetchall() == [("run-1", "0" * 64), ("run-2", "0" * 64), ("run-2", "1" * 64)]


READING = [
    "list_matters", "get_matter", "list_matter_members", "list_matter_screens", "list_screens", "list_audit", "replay_run",
    "list_people", "list_groups", "get_processors", "firm_matters", "firm_matter_members", "list_documents", "get_document", "get_revision",
    "get_citation", "match_document_embeddings", "search_chunks", "search_revision_text", "searched_documents",
    "named_documents", "list_engine_usage",
    "get_node", "list_contents", "find_by_name", "document_contents", "read_chunks", "neighbours", "matter_texts", "locate_spans",
    "open_page", "visual_status", "search_visuals",
    "find_duplicates", "list_receipts", "get_health",
    "citation_lines", "reading_coverage", "page_documents", "list_folders", "open_file", "document_page", "document_span",
]  # fmt: skip


@pytest.mark.parametrize("function", READING)
async def test_a_reading_function_appends_an_entry_or_fails(store, admin, ada, names, function):
    params = filled(CASES[function][0], names)
    await store.rpc(ada, function, params)
    last = admin.execute("select action, user_id::text from audit_log order by id desc limit 1").fetchone()
    assert last == (function, ada.user_id)
    admin.execute(f"alter table audit_log add constraint refused check (action <> '{function}') not valid")
    with pytest.raises(Conflict):
        await store.rpc(ada, function, params)


async def test_a_search_records_its_query_and_its_passages(store, admin, ada, names):
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


async def test_concurrent_readers_leave_one_unbroken_chain(store, worker_store, ada, names):
    before = (await worker_store.rpc("verify_audit", {"chain": names["matter"]}))["entries"]
    await asyncio.gather(*(store.rpc(ada, "get_document", {"document_id": names["document"]}) for _ in range(40)))
    assert await worker_store.rpc("verify_audit", {"chain": names["matter"]}) == {
        "entries": before + 40, "intact": True, "broken_at": None, "trimmed_to": 0, "first_after": ANY,
    }  # fmt: skip


async def test_an_answer_is_replayed_from_its_record(store, ada, names, make_user):
    run = await store.rpc(ada, "replay_run", {"run_id": "run-1"})
    assert (run["question"], run["model"], run["email"]) == ("Which law?", "m", "ada@firm.example")
    assert [m["id"] for m in run["matters"]] == [names["matter"]]
    [citation] = run["citations"]
    assert (citation["document_name"], citation["text"], citation["page"]) == ("a.txt", CONTRACT[:6], 1)
    assert names["chunk"] in [p["chunk_id"] for p in run["passages"]]
    assert all(p["text"] == CONTRACT[p["start"] : p["end"]] for p in run["passages"])
    assert [e["action"] for e in run["entries"]] == ["search_chunks", "answer"]


async def test_a_run_is_replayed_for_owners_and_not_for_screened_users(store, ada, names, make_user):
    own = {}
    for email, role in (("olga@firm.example", "owner"), ("vic@firm.example", "viewer")):
        own[role] = await make_user(email)
        await store.rpc(ada, "add_matter_member", {"matter_ref": names["matter"], "member_email": email, "member_role": role})
    assert await store.rpc(own["owner"], "replay_run", {"run_id": "run-1"})
    with pytest.raises(NotFound):
        await store.rpc(own["viewer"], "replay_run", {"run_id": "run-1"})
    for email, caller in (("olga@firm.example", own["owner"]), ("ada@firm.example", ada)):
        wall = {"matter_ref": names["matter"], "member_email": email, "reason": "Conflict"}
        await store.rpc(ada, "add_matter_screen", wall)
        with pytest.raises(NotFound):
            await store.rpc(caller, "replay_run", {"run_id": "run-1"})


async def test_questions_about_a_groups_document_are_hidden_from_owners_outside_the_group(store, ada, names, make_user, admin):
    olga = await make_user("olga@firm.example")
    own = {"matter_ref": names["matter"], "member_email": "olga@firm.example", "member_role": "owner"}
    await store.rpc(ada, "add_matter_member", own)
    elsewhere = replace(ada, run_id="run-2")
    await store.rpc(elsewhere, "search_chunks", {"matter_id": names["matter"], "query": "nothing that there is"})
    admin.execute("insert into groups (tenant_id, name) select id, 'Partners' from tenants")
    admin.execute("insert into group_members select g.id, %s from groups g", (ada.user_id,))
    admin.execute("update documents set group_id = (select id from groups) where id = %s", (names["document"],))
    run = await store.rpc(olga, "replay_run", {"run_id": "run-1"})
    assert run["question"] is None
    assert {p["text"] for p in (*run["citations"], *run["passages"])} == {None}
    assert {e["detail"] and str(e["detail"]) for e in run["entries"]} == {None}
    told = await store.rpc(olga, "list_audit", {"matter_ref": names["matter"]})
    assert "Which law?" not in str(told)
    assert {e["detail"] is None for e in told if e["run"] == "run-1"} == {True}
    assert [e["detail"]["query"] for e in told if e["run"] == "run-2"] == ["nothing that there is"]
    assert (await store.rpc(ada, "replay_run", {"run_id": "run-1"}))["question"] == "Which law?"


async def test_questions_about_two_matters_are_visible_to_readers_of_both(
    store, ada, names, make_user, make_matter, publish_text
):
    other = await make_matter(ada, "Another")
    asking = replace(ada, run_id="run-3")
    await publish_text(ada, other["id"], "b.txt", CONTRACT)
    for matter in (names["matter"], other["id"]):
        await store.rpc(asking, "search_chunks", {"matter_id": matter, "query": "Is it as in Another?"})
    olga = await make_user("olga@firm.example")
    own = {"matter_ref": names["matter"], "member_email": "olga@firm.example", "member_role": "owner"}
    await store.rpc(ada, "add_matter_member", own)
    assert "as in Another" not in str(await store.rpc(olga, "list_audit", {"matter_ref": names["matter"]}))
    assert "as in Another" in str(await store.rpc(ada, "list_audit", {"matter_ref": names["matter"]}))


async def test_a_purge_removes_the_documents_words_from_replays(store, worker_store, ada, names, admin):
    await store.rpc(ada, "delete_document", {"document_id": names["document"]})
    await worker_store.rpc("purge_deleted", {})
    run = await store.rpc(ada, "replay_run", {"run_id": "run-1"})
    assert [c["text"] for c in run["citations"]] == [None]
    assert {p["text"] for p in run["passages"]} == {None}
    words = admin.execute("select count(*) from audit_log where detail::text like %s", (f"%{CONTRACT[:40]}%",))
    assert words.fetchall() == [(0,)]


async def test_only_owners_read_the_record_page_by_page(store, ada, names, make_user):
    whole = await store.rpc(ada, "list_audit", {"matter_ref": names["matter"]})
    assert [e["seq"] for e in whole] == list(range(1, len(whole) + 1))
    assert (whole[-1]["action"], whole[-1]["run"]) == ("answer", "run-1")
    rest = await store.rpc(ada, "list_audit", {"matter_ref": names["matter"], "after_seq": 3, "row_count": 2})
    assert rest == whole[3:5]
    ed = await make_user("ed@firm.example")
    member = {"matter_ref": names["matter"], "member_email": "ed@firm.example", "member_role": "editor"}
    await store.rpc(ada, "add_matter_member", member)
    with pytest.raises(Denied):
        await store.rpc(ed, "list_audit", {"matter_ref": names["matter"]})


async def test_an_owner_outside_a_documents_group_sees_the_read_without_its_details(store, ada, names, admin):
    admin.execute("insert into groups (tenant_id, name) select tenant_id, 'Partners' from matters limit 1")
    admin.execute("update documents set group_id = (select id from groups)")
    entries = await store.rpc(ada, "list_audit", {"matter_ref": names["matter"]})
    of_it = [e for e in entries if e["document_id"] == names["document"]]
    assert of_it
    assert all(e["detail"] is None and e["document_name"] is None for e in of_it)


async def test_what_the_operator_and_the_identity_provider_do_to_a_person_is_on_record(worker_store, make_user, admin):
    ada = await make_user("ada@firm.example")
    email = {"email": "ada@firm.example"}
    await worker_store.rpc("set_conflicts_officer", {**email, "is_officer": True})
    await worker_store.rpc("issue_token", {**email, "token_sha256": "a" * 64, "expires_at": "2999-01-01"})
    signed_in = {
        **email, "issuer": "https://id.example", "subject": "ada", "email_verified": True, "tenant": "Firm", "display_name": "Ada",
        "expires_at": "2999-01-01",
    }  # fmt: skip
    await worker_store.rpc("sign_in_by_provider", {**signed_in, "roles": ["admin"], "token_sha256": "b" * 64})
    await worker_store.rpc("sign_in_by_provider", {**signed_in, "roles": ["admin"], "token_sha256": "c" * 64})
    await worker_store.rpc("revoke_user", email)
    await worker_store.rpc("reinstate_user", email)
    entries = admin.execute(
        "select action, user_id, detail from audit_log where chain = %s order by seq", (ada.user_id,)
    ).fetchall()
    assert [action for action, *_ in entries] == [
        "create_user", "set_conflicts_officer", "issue_token", "set_offices", "revoke_user", "reinstate_user",
    ]  # fmt: skip
    assert all(user is None and detail["person"] == ada.user_id for _, user, detail in entries)
    assert entries[3][2] == {"person": ada.user_id, "is_admin": True, "is_conflicts_officer": False}
    assert "ada@" not in str(entries)
    assert (await worker_store.rpc("verify_audit", {"chain": ada.user_id}))["intact"]


UNRECORDED = {
    "allowed_processors": "names of processors",
    "documents_without_vectors": "ids",
    "hidden_text": "numbers of places",
    "owning_document": "an id",
    "whoami": "the caller alone",
    "withheld_tools": "names of tools",
    "my_threads": "ids of the caller's conversations",
    "register_thread": "nothing",
    "record_engine_usage": "nothing",
    "save_response": "nothing; the run has recorded its answer",
}
"""Functions of callers that write no entry, and what they return instead of a document's words."""


def test_every_function_of_callers_writes_an_entry_or_returns_no_words(admin):
    """Follows calls, since some functions leave the entry to another one."""
    bodies = dict(
        admin.execute(
            "select p.proname, string_agg(p.prosrc, ' ') from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
            " where n.nspname in ('public', 'private') group by 1"
        ).fetchall()
    )

    def records(name: str, seen: frozenset[str] = frozenset()) -> bool:
        called = set(re.findall(r"\b(?:private|public)\.(\w+)\s*\(", bodies[name])) & bodies.keys()
        return "audit" in called or any(records(other, seen | {name}) for other in called - seen - {name})

    offered = admin.execute(
        "select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname = 'public' and has_function_privilege('authenticated', p.oid, 'execute')"
    ).fetchall()
    assert {name for (name,) in offered if not records(name)} == UNRECORDED.keys()
