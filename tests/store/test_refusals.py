"""Refusals are recorded with caller and function in the audit record of the matter concerned."""

from __future__ import annotations

from uuid import uuid4

import pytest

from orderly.errors import Denied, Invalid, NotFound
from orderly.models import Caller
from orderly.store.functions.matters import list_matters
from orderly.store.refusals import RecordsRefusals
from store.conftest import Adapter
from store.contract import CONTRACT

LAST = "select chain::text, user_id::text, action, detail from audit_log order by id desc limit 1"


@pytest.fixture
def store(adapter: Adapter) -> RecordsRefusals:
    return RecordsRefusals(adapter.store)


@pytest.fixture
def worker_store(adapter: Adapter):
    return adapter.worker


@pytest.fixture
async def ada(make_user):
    return await make_user("ada@firm.example")


@pytest.fixture
async def bob(make_user):
    return await make_user("bob@firm.example")


async def test_a_refusal_of_access_is_in_the_matters_record(store, worker_store, admin, ada, bob, make_matter, publish_text):
    matter = await make_matter(ada, viewers=["bob@firm.example"])
    document = await publish_text(ada, matter["id"], "a.txt", CONTRACT)
    wall = {"matter_ref": matter["id"], "member_email": "bob@firm.example", "reason": "Conflict"}
    await store.rpc(ada, "add_matter_screen", wall)
    for function, params in (
        ("get_matter", {"matter_ref": matter["number"]}),
        ("get_document", {"document_id": document}),
        ("search_chunks", {"matter_id": matter["id"], "query": "Ohio"}),
    ):
        with pytest.raises(NotFound):
            await store.rpc(bob, function, params)
        ((chain, user, action, detail),) = admin.execute(LAST)
        assert (chain, user, action) == (matter["id"], bob.user_id, "denied")
        assert (detail["function"], detail["screened"]) == (function, True)
        assert "query" not in detail["refs"]
    assert (await worker_store.rpc("verify_audit", {"chain": matter["id"]}))["intact"]


async def test_a_refusal_for_an_insufficient_role_is_recorded(store, admin, ada, bob, make_matter):
    matter = await make_matter(ada, viewers=["bob@firm.example"])
    with pytest.raises(Denied):
        await store.rpc(bob, "create_folder", {"matter_ref": matter["id"], "name": "New"})
    ((chain, _, action, detail),) = admin.execute(LAST)
    assert (chain, action, detail["function"], detail["screened"]) == (matter["id"], "denied", "create_folder", False)


async def test_a_refusal_for_missing_or_foreign_ids_is_in_the_callers_record(store, admin, ada, make_user, make_matter):
    matter = await make_matter(ada)
    eve = await make_user("eve@other.example", tenant="Other")
    for ref in (matter["id"], str(uuid4()), "x" * 5000, "' or true --"):
        with pytest.raises(NotFound):
            await store.rpc(eve, "get_matter", {"matter_ref": ref})
        ((chain, user, action, detail),) = admin.execute(LAST)
        assert (chain, user, action) == (eve.user_id, eve.user_id, "denied")
        assert detail["refs"]["matter_ref"] == ref[:200]


async def test_refusals_of_unknown_and_revoked_users_are_neither_recorded_nor_logged(store, worker_store, admin, bob, caplog):
    await worker_store.rpc("revoke_user", {"email": "bob@firm.example"})
    ((before,),) = admin.execute("select count(*) from audit_log")
    for caller in (None, Caller(str(uuid4())), bob):
        with pytest.raises(Denied):
            await list_matters(store, caller)
    assert not caplog.records
    assert admin.execute("select count(*) from audit_log").fetchall() == [(before,)]


async def test_a_refusal_that_cannot_be_recorded_is_still_a_refusal(store, admin, ada, caplog):
    admin.execute("alter table audit_log add constraint refused check (action <> 'denied') not valid")
    with pytest.raises(NotFound):
        await store.rpc(ada, "get_matter", {"matter_ref": "M-1"})
    assert "was not recorded" in caplog.text


async def test_refusals_record_a_limited_number_of_short_ids(store, ada, admin):
    with pytest.raises(Invalid):
        await store.rpc(ada, "record_denial", {"function_name": "drop table; --", "refs": {}})
    with pytest.raises(Invalid):
        await store.rpc(ada, "record_denial", {"function_name": "x", "refs": ["a"]})
    await store.rpc(ada, "record_denial", {"function_name": "x", "refs": {str(n): "y" * 900 for n in range(50)}})
    ((_, _, _, detail),) = admin.execute(LAST)
    assert len(detail["refs"]) == 10
    assert max(map(len, detail["refs"].values())) == 200
