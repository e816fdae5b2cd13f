"""Access control: every function that a signed-in user can call, called by every kind of user without access."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from orderly.errors import Denied, NotFound, OrderlyError
from orderly.models import Caller
from orderly.store.base import Store, WorkerStore
from orderly.store.functions.matters import list_matters
from store.access_cases import A_COLUMN, A_RESPONSE, ADMINISTRATION, CASES, ENDINGS, IDS, PERSONAL
from store.conftest import Adapter, Admin
from store.contract import CONTRACT, SECTIONS

GRANTED = """
select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = 'public' and has_function_privilege(%s, p.oid, 'execute')
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
"""


@dataclass(frozen=True)
class World:
    """Ada's matter with one document; name -> id."""

    ada: Caller
    names: dict[str, str]

    def fill(self, params: dict[str, Any], names: dict[str, str] | None = None) -> dict[str, Any]:
        return {k: v.format(**(names or self.names)) if isinstance(v, str) else v for k, v in params.items()}

    def missing(self) -> dict[str, str]:
        return {**{name: str(uuid4()) for name in self.names}, "number": "NS-78"}


@pytest.fixture
def store(adapter: Adapter) -> Store:
    return adapter.store


@pytest.fixture
def worker_store(adapter: Adapter) -> WorkerStore:
    return adapter.worker


@pytest.fixture
async def world(store, worker_store, make_user, publish_text) -> World:
    ada = await make_user("ada@firm.example", is_admin=True)
    group = await store.rpc(ada, "create_group", {"group_name": "Secret circle"})
    await store.rpc(ada, "set_group_member", {"group_ref": group["id"], "member_email": "ada@firm.example", "is_member": True})
    matter = await store.rpc(ada, "create_matter", {"title": "The merger of North and South", "number": "NS-77"})
    document = await publish_text(ada, matter["id"], "secret-merger.txt", CONTRACT, sections=SECTIONS)
    await publish_text(ada, matter["id"], "raw-secret.txt", CONTRACT, chunked=False)
    revision = (await store.rpc(ada, "get_document", {"document_id": document}))["revision"]["id"]
    span = {"document_id": document, "revision_id": revision, "start": 0, "end": 6}
    citation = (await store.rpc(ada, "save_citation", span))["id"]
    visual = {"page": 1, "kind": "drawing", "box": [1, 2, 3, 4], "caption": "Secret plan of Ohio", "words": "", "terms": ""}
    shown = {"revision_id": revision, "engine": "embedded", "status": "ready", "reason": "", "visuals": [visual]}
    await worker_store.rpc("put_visuals", shown)
    response = "resp_" + "0" * 32
    await store.rpc(ada, "save_response", {**A_RESPONSE, "new_id": response, "document_ids": [document]})
    folder = await store.rpc(ada, "create_folder", {"matter_ref": matter["id"], "name": "Secret merger papers"})
    sections = (await store.rpc(ada, "get_revision", {"document_id": document}))["sections"]
    chunks = await store.rpc(ada, "search_chunks", {"matter_id": matter["id"], "query": "Ohio"})
    await worker_store.rpc("set_conflicts_officer", {"email": "ada@firm.example", "is_officer": True})
    await make_user("walled@firm.example")
    asking = Caller(ada.user_id, run_id="019f0000-0000-7000-8000-000000000001")
    await store.rpc(asking, "search_chunks", {"matter_id": matter["id"], "query": "Ohio"})
    quoted = {"document_id": document, "revision_id": revision, "start": 0, "end": 6}
    answered = {"question": "Secret?", "model": "m", "answer_sha256": "0" * 64, "citations": [quoted]}
    await store.rpc(asking, "record_answer", answered)
    review = await store.rpc(ada, "create_review", {"matter_ref": matter["id"], "name": "Secret review"})
    asked = {"review_id": review["id"], "cell_limit": 100}
    review = await store.rpc(ada, "add_review_columns", {**asked, "columns": [A_COLUMN]})
    await store.rpc(ada, "run_review", asked)
    cells = (await store.rpc(ada, "review_rows", {"review_id": review["id"]}))["rows"][0]["cells"]
    wall = {"matter_ref": matter["id"], "member_email": "walled@firm.example", "reason": "Secret reason"}
    names = {
        "group": group["id"],
        "run": asking.run_id or "",
        "screen": (await store.rpc(ada, "add_matter_screen", wall))["id"],
        "matter": matter["id"],
        "number": matter["number"],
        "slug": matter["slug"],
        "document": document,
        "revision": revision,
        "citation": citation,
        "response": response,
        "folder": folder["id"],
        "review": review["id"],
        "column": review["columns"][0]["id"],
        "cell": cells[0]["id"],
        "section": sections[0]["id"],
        "chunk": chunks[0]["chunk_id"],
    }
    return World(ada, names)


async def outcome(store: Store, caller: Caller | None, function: str, params: dict[str, Any]) -> tuple[str, str]:
    try:
        return "result", json.dumps(await store.rpc(caller, function, params), sort_keys=True)
    except OrderlyError as error:
        return type(error).__name__, error.message


def calls() -> Iterator[tuple[str, dict[str, Any]]]:
    for function, cases in CASES.items():
        for params in cases:
            yield function, params


def test_every_function_of_signed_in_users_has_a_case(admin: Admin):
    granted = {row[0] for row in admin.execute(GRANTED, ("authenticated",))}
    assert granted == set(CASES)


async def test_every_case_works_for_the_owner(store, world):
    """A case that fails for the owner would prove nothing about others."""
    order = sorted(calls(), key=lambda case: ENDINGS.index(case[0]) if case[0] in ENDINGS else 0)
    for function, params in order:
        kind, text = await outcome(store, world.ada, function, world.fill(params))
        if function in {"add_matter_member", "remove_matter_member", "document_stored", "delete_group"}:
            assert kind == "Conflict", (function, text)
        else:
            assert kind == "result", (function, text)


async def strangers(world: World, make_user: Any, store: Store, worker_store: WorkerStore) -> dict[str, Caller]:
    people = {
        "colleague without membership": await make_user("bob@firm.example"),
        "administrator without membership": await make_user("root@firm.example", is_admin=True),
        "another tenant": await make_user("eve@other.example", tenant="Other"),
        "screened owner": await make_user("sue@firm.example"),
        "removed editor": await make_user("rex@firm.example"),
        "another conversation": Caller((await make_user("tim@firm.example")).user_id, thread_id="t-1"),
    }
    for email, role in (("sue@firm.example", "owner"), ("rex@firm.example", "editor")):
        member = {"matter_ref": world.names["matter"], "member_email": email}
        await store.rpc(world.ada, "add_matter_member", {**member, "member_role": role})
    await store.rpc(
        world.ada, "remove_matter_member", {"matter_ref": world.names["matter"], "member_email": "rex@firm.example"}
    )
    screen = {
        "matter_ref": world.names["matter"],
        "member_email": "sue@firm.example",
        "reason": "Acted for the other side",
    }
    await store.rpc(world.ada, "add_matter_screen", screen)
    return people


async def test_users_without_access_get_the_same_reply_as_for_a_missing_id(store, worker_store, world, make_user):
    people = await strangers(world, make_user, store, worker_store)
    secrets = [*world.names.values(), "secret", "merger", "Ohio", "North"]
    for who, caller in people.items():
        for function, params in calls():
            if function in ADMINISTRATION or (function == "list_groups" and who.startswith("administrator")):
                continue
            missing = world.missing()
            kind, text = await outcome(store, caller, function, world.fill(params))
            expected_kind, expected = await outcome(store, caller, function, world.fill(params, missing))
            if params.keys() & IDS:
                assert kind in {"MatterNotFound", "DocumentNotFound", "NotFound"}, (who, function, kind, text)
                for name, value in missing.items():
                    expected = expected.replace(value, world.names[name])
                assert (kind, text) == (expected_kind, expected), (who, function)
            else:
                leaked = [s for s in secrets if s in text]
                assert not leaked, (who, function, leaked)


async def test_administration_is_for_administrators_and_reveals_nothing_to_others(store, worker_store, world, make_user):
    people = await strangers(world, make_user, store, worker_store)
    people["another firm's administrator"] = await make_user("boss@other.example", tenant="Other", is_admin=True)
    root = people.pop("administrator without membership")
    for who, caller in people.items():
        for function, params in ((f, p) for f, p in calls() if f in ADMINISTRATION):
            kind, text = await outcome(store, caller, function, world.fill(params))
            if who == "another firm's administrator" and params.keys() & (IDS | {"person_email"}):
                assert kind in {"MatterNotFound", "NotFound"}, (function, text)
            elif who == "another firm's administrator":
                assert not [s for s in (*world.names.values(), "secret", "merger") if s in text], (function, text)
            else:
                assert (kind, text) == ("Denied", "Only an administrator of the firm can do that."), (who, function)
    for function, params in (
        (f, p) for f, p in calls() if f in ADMINISTRATION - {"add_person", "create_group", "delete_group"}
    ):
        kind, text = await outcome(store, root, function, world.fill(params))
        assert kind in {"result", "Conflict"}, (function, text)
        assert "secret-merger" not in text


@pytest.mark.parametrize("malformed", ["", "x", "' or true --", "\u202e\u0661", "../../etc", "%", "9" * 500])
async def test_a_malformed_id_reads_as_missing(store, world, malformed):
    for function, params in calls():
        ids = params.keys() & IDS
        if not ids:
            continue
        kind, _ = await outcome(store, world.ada, function, {**world.fill(params), ids.pop(): malformed})
        assert kind in {"MatterNotFound", "DocumentNotFound", "NotFound"}, function


async def test_callers_without_a_profile_are_denied_and_anonymous_ones_may_only_sign_in(store, world, admin):
    assert {row[0] for row in admin.execute(GRANTED, ("anon",))} == {"authenticate_token"}
    for function, params in calls():
        for caller, refusal in ((Caller(str(uuid4())), "UnknownCaller"), (None, "Denied")):
            kind, text = await outcome(store, caller, function, world.fill(params))
            assert kind == refusal, (function, text)


async def test_worker_functions_are_closed_to_signed_in_users(store, world, admin):
    worker_only = {row[0] for row in admin.execute(GRANTED, ("service_role",))}
    assert worker_only.isdisjoint(CASES)
    assert len(worker_only) >= 17
    names = "select proargnames[:pronargs] from pg_proc where proname = %s and pronamespace = 'public'::regnamespace"
    for function in worker_only:
        ((arguments,),) = admin.execute(names, (function,)).fetchall()
        for caller in (world.ada, None):
            kind, text = await outcome(store, caller, function, dict.fromkeys(arguments or []))
            assert kind == "Denied", (function, text)


async def test_a_person_and_a_role_forged_in_the_claims_have_no_effect(store, make_user):
    ada, bob = [await make_user(f"{name}@firm.example") for name in ("ada", "bob")]
    forged = Caller(ada.user_id, thread_id=f'x","role":"service_role","sub":"{bob.user_id}')
    with pytest.raises(Denied):
        await store.rpc(forged, "list_users", {})
    assert (await store.rpc(forged, "whoami", {}))["user_id"] == ada.user_id


async def test_a_screen_overrides_ownership_until_it_is_lifted(store, worker_store, world, make_user):
    officer = await make_user("officer@firm.example")
    await worker_store.rpc("set_conflicts_officer", {"email": "officer@firm.example", "is_officer": True})
    matter = {"matter_ref": world.names["matter"]}
    screen = {**matter, "member_email": "ada@firm.example", "reason": "Conflict"}
    made = await store.rpc(officer, "add_matter_screen", screen)
    assert await list_matters(store, world.ada) == []
    with pytest.raises(NotFound):
        await store.rpc(world.ada, "get_matter", matter)
    await store.rpc(officer, "lift_matter_screen", {**matter, "screen_id": made["id"]})
    assert (await store.rpc(world.ada, "get_matter", matter))["document_count"] == 2


async def test_a_document_of_a_group_is_visible_to_the_group_only(store, world, admin, make_user):
    pat = await make_user("pat@firm.example")
    member = {"matter_ref": world.names["matter"], "member_email": "pat@firm.example", "member_role": "editor"}
    await store.rpc(world.ada, "add_matter_member", member)
    ((group,),) = admin.execute(
        "insert into groups (tenant_id, name) select tenant_id, 'Partners' from profiles where user_id = %s returning id",
        (world.ada.user_id,),
    ).fetchall()
    admin.execute("insert into group_members values (%s, %s)", (group, world.ada.user_id))
    admin.execute("update documents set group_id = %s where id = %s", (group, world.names["document"]))
    listed = await store.rpc(pat, "list_documents", {"matter_ref": world.names["matter"]})
    assert [d["filename"] for d in listed["documents"]] == ["raw-secret.txt"]
    assert listed["matter"]["document_count"] == 1
    assert await store.rpc(pat, "search_chunks", {"matter_id": world.names["matter"], "query": "Ohio"}) == []
    theirs = {world.names[name] for name in ("document", "citation", "section", "chunk", "cell")}
    for function, params in calls():
        if theirs & {v for v in world.fill(params).values() if isinstance(v, str)}:
            kind, _ = await outcome(store, pat, function, world.fill(params))
            assert kind in {"DocumentNotFound", "NotFound"}, function
    assert await store.rpc(world.ada, "search_chunks", {"matter_id": world.names["matter"], "query": "Ohio"})


async def test_a_viewer_reads_and_changes_nothing(store, world, make_user):
    vic = await make_user("vic@firm.example")
    member = {"matter_ref": world.names["matter"], "member_email": "vic@firm.example", "member_role": "viewer"}
    await store.rpc(world.ada, "add_matter_member", member)
    changing = {
        "add_matter_member", "remove_matter_member", "register_document", "document_stored", "reprocess_document",
        "delete_document", "create_folder", "rename_folder", "move_folder", "delete_folder", "move_document",
        "add_matter_screen", "lift_matter_screen", "list_matter_screens", "list_screens", "list_audit",
        "grant_tool",
        "create_review", "edit_review", "delete_review", "add_review_columns", "edit_review_column", "delete_review_column", "run_review",
        "cancel_review", "judge_cell",
        "hold_document", "withdraw_upload", "find_duplicates", "edit_document", "edit_folder", "edit_matter",
    }  # fmt: skip
    changing |= ADMINISTRATION | {"restrict_document", "set_matter_processors"}
    for function, params in calls():
        kind, text = await outcome(store, vic, function, world.fill(params))
        expected = "Denied" if function in changing else "NotFound" if function in PERSONAL else "result"
        assert kind == expected, (function, text)


async def test_a_workspace_opens_in_its_own_conversation_only(store, world, admin):
    ((workspace,),) = admin.execute(
        "insert into matters (tenant_id, number, title, kind, thread_id)"
        " select tenant_id, 'W-1', 'Chat', 'workspace', 't-1' from profiles where user_id = %s returning id::text",
        (world.ada.user_id,),
    ).fetchall()
    admin.execute("insert into matter_members values (%s, %s, 'owner')", (workspace, world.ada.user_id))
    for thread, visible in ((None, False), ("t-2", False), ("t-1", True)):
        caller = Caller(world.ada.user_id, thread_id=thread)
        assert (workspace in {m["id"] for m in await list_matters(store, caller)}) is visible
        kind, _ = await outcome(store, caller, "get_matter", {"matter_ref": workspace})
        assert kind == ("result" if visible else "MatterNotFound")


async def test_a_user_who_moves_to_another_firm_loses_access_to_the_matters(store, world, admin, make_user):
    await make_user("eve@other.example", tenant="Other")
    admin.execute(
        "update profiles set tenant_id = (select id from tenants where name = 'Other') where user_id = %s", (world.ada.user_id,)
    )
    assert await list_matters(store, world.ada) == []
    for function, params in calls():
        if params.keys() & IDS:
            kind, _ = await outcome(store, world.ada, function, world.fill(params))
            assert kind in {"MatterNotFound", "DocumentNotFound", "NotFound"}, function
