"""Access to conversations depends on everything that they have read, checked at each opening."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from orderly.errors import NotFound
from orderly.models import Caller
from orderly.store.functions.conversations import chat_workspace, check_thread
from orderly.store.functions.matters import list_matters
from orderly.store.functions.processors import allowed_processors
from orderly.store.refusals import RecordsRefusals
from store.contract import CONTRACT
from store.roles import acting_as


@pytest.fixture
async def ada(make_user):
    return await make_user("ada@firm.example")


@pytest.fixture
async def sue(make_user) -> Caller:
    return await make_user("sue@firm.example")


@pytest.fixture
async def names(store, ada, sue, make_matter, publish_text):
    """Sue's conversations: one searched the matter, one read only its name, one is about another matter."""
    matter = await make_matter(ada, viewers=["sue@firm.example"])
    document = await publish_text(ada, matter["id"], "a.txt", CONTRACT)
    other = await make_matter(sue, "Another")
    for thread in ("searched", "named", "elsewhere", "empty"):
        await store.rpc(sue, "register_thread", {"thread_id": thread})
    await store.rpc(replace(sue, thread_id="searched"), "search_chunks", {"matter_id": matter["id"], "query": "Ohio"})
    await store.rpc(replace(sue, thread_id="named"), "get_matter", {"matter_ref": matter["id"]})
    await store.rpc(replace(sue, thread_id="elsewhere"), "get_matter", {"matter_ref": other["id"]})
    return {"matter": matter["id"], "document": document}


ANSWER = {"question": "Which law?", "model": "m", "answer_sha256": "0" * 64, "citations": []}


async def closed(store, caller):
    listing = await store.rpc(caller, "my_threads", {})
    return set(listing["closed"]), listing["open"] and set(listing["open"])


async def wall(store, ada, names):
    made = {"matter_ref": names["matter"], "member_email": "sue@firm.example", "reason": "Conflict"}
    return await store.rpc(ada, "add_matter_screen", made)


async def test_a_wall_closes_the_conversations_that_read_the_matter_and_no_others(
    store, worker_store, make_user, ada, sue, names
):
    officer = await make_user("officer@firm.example")
    await worker_store.rpc("set_conflicts_officer", {"email": "officer@firm.example", "is_officer": True})
    assert await closed(store, sue) == (set(), None)
    made = await wall(store, ada, names)
    assert await closed(store, sue) == ({"searched", "named"}, {"elsewhere", "empty"})
    for thread in ("searched", "named"):
        with pytest.raises(NotFound, match=f"Conversation {thread} not found"):
            await check_thread(store, sue, thread)
        with pytest.raises(NotFound, match=f"Conversation {thread} not found"):
            await allowed_processors(store, replace(sue, thread_id=thread), thread_id=thread)
        assert (await store.rpc(replace(sue, thread_id=thread), "record_answer", ANSWER))["closed"] is True
    for thread in ("elsewhere", "empty", "unknown"):
        assert await check_thread(store, sue, thread)
        assert "model" in await allowed_processors(store, sue, thread_id=thread)
        assert (await store.rpc(replace(sue, thread_id=thread), "record_answer", ANSWER))["closed"] is False
    assert (await store.rpc(sue, "record_answer", ANSWER))["closed"] is False
    await store.rpc(officer, "lift_matter_screen", {"matter_ref": names["matter"], "screen_id": made["id"]})
    assert await closed(store, sue) == (set(), None)


async def test_a_stored_response_of_a_closed_conversation_is_not_read_though_it_quotes_nothing(store, admin, ada, sue, names):
    ids = {"searched": "resp_" + "a" * 32, "elsewhere": "resp_" + "b" * 32}
    for thread, new_id in ids.items():
        body = {"output": [{"type": "message", "text": "Nothing was found in a.txt."}]}
        await store.rpc(
            sue,
            "save_response",
            {"new_id": new_id, "thread_id": thread, "checkpoint_id": "c", "body": body, "document_ids": []},
        )
        assert (await store.rpc(sue, "get_response", {"response_id": new_id}))["body"] == body
    await wall(store, ada, names)
    for function in ("get_response", "delete_response"):
        with pytest.raises(NotFound):
            await store.rpc(sue, function, {"response_id": ids["searched"]})
    assert await store.rpc(sue, "get_response", {"response_id": ids["elsewhere"]})
    with acting_as(admin, "authenticated", sue):
        assert admin.execute("select id from responses").fetchall() == [(ids["elsewhere"],)]


async def test_a_former_member_cannot_open_the_matters_conversations(store, ada, sue, names):
    await store.rpc(ada, "remove_matter_member", {"matter_ref": names["matter"], "member_email": "sue@firm.example"})
    assert await closed(store, sue) == ({"searched", "named"}, {"elsewhere", "empty"})


async def test_restricting_a_document_closes_conversations_that_quote_it_until_its_purge(store, ada, sue, names, admin):
    admin.execute("insert into groups (tenant_id, name) select tenant_id, 'Partners' from matters limit 1")
    admin.execute("update documents set group_id = (select id from groups)")
    assert await closed(store, sue) == ({"searched"}, {"named", "elsewhere", "empty"})
    admin.execute("update documents set deleted_at = now(), status = 'deleted'")
    assert await closed(store, sue) == ({"searched"}, {"named", "elsewhere", "empty"})
    admin.execute("insert into private.redacted_documents (document_id) select id from documents")
    assert await closed(store, sue) == (set(), None)


async def test_conversations_belong_to_their_user(store, ada, sue, names):
    await wall(store, ada, names)
    assert await closed(store, ada) == (set(), None)
    await store.rpc(ada, "register_thread", {"thread_id": "searched"})
    assert await closed(store, sue) == ({"searched", "named"}, {"elsewhere", "empty"})


async def test_a_workspace_keeps_its_conversation_open(store, sue, names):
    inside = replace(sue, thread_id="empty")
    await chat_workspace(store, inside, make=True)
    await list_matters(store, inside)
    assert await check_thread(store, sue, "empty")
    assert await closed(store, sue) == (set(), None)


async def test_openings_are_recorded_and_refused_ones_are_in_the_matters_record(store, admin, ada, sue, names):
    await check_thread(store, sue, "searched", opened=True)
    last = "select chain::text, action, detail from audit_log order by id desc limit 1"
    assert admin.execute(last).fetchone() == (sue.user_id, "open_thread", {"opened": "searched"})
    await wall(store, ada, names)
    with pytest.raises(NotFound):
        await check_thread(RecordsRefusals(store), sue, "searched", opened=True)
    ((chain, action, detail),) = admin.execute(last)
    assert (chain, action, detail["function"], detail["screened"]) == (names["matter"], "denied", "check_thread", True)


async def test_concurrent_uploads_create_one_workspace(store, ada, sue):
    """Concurrent first uploads of a conversation all try to create the workspace."""
    for n in range(20):
        here = replace(ada, thread_id=f"conversation-{n}")
        made = await asyncio.gather(*(chat_workspace(store, here, make=True) for _ in range(4)))
        assert len({matter["id"] for matter in made}) == 1
        with pytest.raises(NotFound):
            await chat_workspace(store, replace(sue, thread_id=f"conversation-{n}"), make=True)
