"""Row level security and grants, from the catalogue and with the roles."""

from __future__ import annotations

import psycopg
import pytest

from orderly.models import Caller
from store.conftest import Admin
from store.contract import CONTRACT, SECTIONS
from store.roles import acting_as
from support.revisions import claim, register_text

TABLES = """
select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'private') and c.relkind = 'r'
"""
# Tables in which row level security alone would show rows to a member of the matter. Other tables show nothing, even to the owner.
VISIBLE = {
    "tenants", "profiles", "group_members", "groups", "matters", "matter_members", "folders", "documents",
    "document_revisions", "document_pages", "sections", "chunks", "chunk_embeddings", "citations", "receipts", "responses",
    "document_files", "attachment_links", "threads", "thread_reads",
    "engine_usage", "revision_vectors", "withheld_tools", "reviews", "review_documents", "review_columns", "review_cells",
}  # fmt: skip


def tables(admin: Admin) -> list[str]:
    return [row[0] for row in admin.execute(TABLES)]


def test_every_table_has_row_level_security(admin):
    names = tables(admin)
    assert len(names) >= 19
    open_tables = admin.execute(
        "select oid::regclass::text from pg_class where not relrowsecurity and oid = any (%s::regclass[]::oid[])", (names,)
    ).fetchall()
    assert open_tables == []


def test_no_table_is_read_without_a_function_that_records_it(admin):
    """On Supabase the schema public is exposed: a plain select of a signed-in user would be a read without an entry."""
    privileges = admin.execute(
        "select c.relname, r.role from pg_class c join pg_namespace n on n.oid = c.relnamespace,"
        " unnest(array['anon', 'authenticated']) as r (role)"
        " where n.nspname in ('public', 'private', 'queue') and c.relkind in ('r', 'v', 'm', 'p')"
        " and has_table_privilege(r.role, c.oid, 'select,insert,update,delete,truncate')"
    ).fetchall()
    assert privileges == []


def test_every_definer_function_has_an_empty_search_path(admin):
    functions = admin.execute(
        "select p.oid::regprocedure::text, p.prosecdef, p.proconfig from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname in ('public', 'private')"
    ).fetchall()
    assert len(functions) > 60
    assert [f for f, _, config in functions if 'search_path=""' not in (config or [])] == []
    assert [f for f, definer, _ in functions if f.startswith("public.") and not definer] == []


def test_private_functions_are_callable_by_signed_in_users_only_where_policies_need_them(admin):
    callable_by = """
    select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'private' and has_function_privilege(%s, p.oid, 'execute')
    """
    assert {row[0] for row in admin.execute(callable_by, ("authenticated",))} == {
        "my_user_id", "my_tenant_id", "my_group_ids", "my_matter_ids", "readable_documents", "readable_revisions", "document_of_path", "as_uuid",
        "closed_threads",
    }  # fmt: skip
    assert list(admin.execute(callable_by, ("anon",))) == []


@pytest.mark.parametrize("role", ["anon", "authenticated"])
def test_no_table_can_be_written_by_the_callers_roles(admin, role):
    for table in tables(admin):
        for privilege in ("insert", "update", "delete", "truncate"):
            ((granted,),) = admin.execute("select has_table_privilege(%s, %s, %s)", (role, table, privilege)).fetchall()
            assert not granted, (role, table, privilege)


def test_not_even_the_worker_rewrites_the_audit_log(admin):
    for privilege in ("insert", "update", "delete", "truncate"):
        ((granted,),) = admin.execute("select has_table_privilege('service_role', 'audit_log', %s)", (privilege,)).fetchall()
        assert not granted, privilege


def test_policies_never_call_a_function_per_row(admin):
    """A function of a column is called per row; policies must use subselects that are evaluated once."""
    policies = admin.execute("select policyname, qual from pg_policies where schemaname = 'public'").fetchall()
    assert len(policies) >= 14
    for name, predicate in policies:
        assert "SELECT" in predicate, name


@pytest.fixture
async def rows(store, worker_store, make_user, make_matter, publish_text, admin) -> Caller:
    """Creates rows in every table; returns their owner."""
    ada = await make_user("ada@firm.example")
    matter = await make_matter(ada)
    document = await publish_text(ada, matter["id"], "a.txt", CONTRACT, sections=SECTIONS)
    gone = await publish_text(ada, matter["id"], "b.txt", "gone")
    await store.rpc(ada, "delete_document", {"document_id": gone})
    revision = (await store.rpc(ada, "get_document", {"document_id": document}))["revision"]["id"]
    await store.rpc(ada, "save_citation", {"document_id": document, "revision_id": revision, "start": 0, "end": 6})
    response = {"new_id": "resp_" + "0" * 32, "thread_id": "t", "checkpoint_id": "c", "body": {}, "document_ids": [document]}
    await store.rpc(ada, "save_response", response)
    await store.rpc(ada, "open_page", {"path_part_id": document})
    await store.rpc(ada, "register_thread", {"thread_id": "t"})
    await store.rpc(Caller(ada.user_id, thread_id="t"), "get_document", {"document_id": document})
    await store.rpc(ada, "document_changes", {"matter_ref": matter["id"]})
    person = {
        "issuer": "https://id.example",
        "subject": "1",
        "email": "ada@firm.example",
        "email_verified": True,
        "display_name": "A",
    }
    token = {"token_sha256": "1" * 64, "expires_at": "2999-01-01"}
    await worker_store.rpc("sign_in_by_provider", {**person, **token, "tenant": "Firm", "roles": ["member"]})
    rule = {"tenant": "Firm", "kind": "audit", "keep_days": 0, "matter_ref": matter["id"]}
    await worker_store.rpc("set_retention", rule)
    await worker_store.rpc("trim_audit", {})
    visual = {"page": 1, "kind": "drawing", "box": [1, 2, 3, 4], "caption": "Plan", "words": "", "terms": ""}
    for engine in ("embedded", "colivara"):
        shown = {"revision_id": revision, "engine": engine, "status": "ready", "reason": "", "visuals": [visual]}
        await worker_store.rpc("put_visuals", shown)
    scan = await register_text(store, ada, matter["id"], "scan.txt", "scan")
    held = {"document_id": scan, "claim": await claim(worker_store, scan)}
    await worker_store.rpc("keep_ocr_page", {**held, "page": 1, "engine": "e", "settings": "s", "content": {}})
    await make_user("sue@firm.example")
    screen = {"matter_ref": matter["id"], "member_email": "sue@firm.example", "reason": "Conflict"}
    await store.rpc(ada, "add_matter_screen", screen)
    token = {"email": "ada@firm.example", "token_sha256": "0" * 64, "expires_at": "2999-01-01"}
    await worker_store.rpc("issue_token", token)
    used = {"engine": "isaacus", "model": "m", "endpoint": "/e", "requests": 1, "input_tokens": 2}
    await store.rpc(ada, "record_engine_usage", {"entries": [used], "matter_ref": matter["id"]})
    review = await store.rpc(ada, "create_review", {"matter_ref": matter["id"], "name": "R", "document_ids": [document]})
    asked = {"review_id": review["id"], "cell_limit": 100}
    column = {"title": "Term", "question": "How long?", "answer_type": "text"}
    await store.rpc(ada, "add_review_columns", {**asked, "columns": [column]})
    await store.rpc(ada, "run_review", asked)
    row = {"review_id": review["id"], "document_id": document, "lease_seconds": 30, "max_attempts": 5}
    assert await worker_store.rpc("claim_review_row", row)
    admin.execute("insert into folders (matter_id, name) values (%s, 'F')", (matter["id"],))
    admin.execute("insert into groups (tenant_id, name) select id, 'G' from tenants")
    admin.execute("insert into group_members select id, %s from groups", (ada.user_id,))
    admin.execute("insert into private.redacted_documents (document_id) values (%s)", (document,))
    admin.execute("insert into attachment_links values (%s, %s, 'itself')", (document, document))
    admin.execute("insert into withheld_tools (tenant_id, client_id, function_name) select id, 'mcp', 'find' from tenants")
    admin.execute("select public.set_limits(50, 5000, 20000, 250000, 1000000)")
    admin.execute("insert into private.reading_turns (party, at) values (%s, now())", (ada.user_id,))
    admin.execute("insert into private.blob_deletions (storage_key, again_until) values ('gone', now())")
    return ada


async def test_a_plain_select_shows_rows_to_their_owner_and_none_to_non_members(admin, rows, make_user):
    eve = await make_user("eve@other.example", tenant="Other")
    own = {"tenants": 1, "profiles": 1}
    for table in tables(admin):
        assert admin.execute(f"select count(*) from {table}").fetchall() != [(0,)], f"{table} has no rows"
        with acting_as(admin, "authenticated", rows):
            seen = count(admin, table)
        assert bool(seen) is (table in VISIBLE), table
        with acting_as(admin, "authenticated", eve):
            assert count(admin, table) == own.get(table, 0), table
        with acting_as(admin, "anon"):
            assert count(admin, table) == 0, table


async def test_rows_of_a_deleted_document_are_hidden_from_a_plain_select(admin, rows):
    with acting_as(admin, "authenticated", rows):
        assert count(admin, "documents") == 2
        assert admin.execute("select count(distinct document_id) from chunks").fetchall() == [(1,)]
    assert count(admin, "documents") == 3


def count(admin: Admin, table: str) -> int:
    """Returns the number of visible rows; 0 without the privilege to select."""
    try:
        with admin.transaction():
            ((n,),) = admin.execute(f"select count(*) from {table}").fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return 0
    return int(n)
