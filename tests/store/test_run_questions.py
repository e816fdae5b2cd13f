"""Combined calls of a run: its opening data, and hidden text of its documents."""

from __future__ import annotations

from dataclasses import replace

from orderly.store.functions.conversations import chat_workspace, run_opening
from orderly.store.functions.deletion import delete_document
from orderly.store.functions.health import hidden_text
from orderly.store.functions.matters import list_matters
from store.contract import CONTRACT
from support.revisions import publish, register_text, revision_of


async def test_run_opening_returns_the_results_of_the_single_calls(store, make_user, make_matter, admin):
    ada = await make_user("ada@firm.example")
    await make_matter(ada)
    admin.execute("insert into withheld_tools (tenant_id, client_id, function_name) select id, 'orderly', 'find' from tenants")
    chat = replace(ada, thread_id="t")
    for caller in (ada, chat):
        assert (await run_opening(store, caller, "orderly"))["workspace"] is None
    made = await chat_workspace(store, chat, make=True)
    found = await run_opening(store, chat, "orderly")
    assert found == {
        "matters": await list_matters(store, chat), "workspace": {**made, **found["workspace"]}, "withheld": ["find"],
    }  # fmt: skip
    assert found["workspace"]["id"] == made["id"]
    assert (await run_opening(store, replace(ada, thread_id="u"), "mcp"))["withheld"] == []
    ((recorded,),) = admin.execute("select count(*) from audit_log where action = 'list_matters'").fetchall()
    assert recorded == 5


async def test_hidden_text_is_counted_only_for_readers_of_the_document(store, worker_store, make_user, make_matter, admin):
    ada, eve = await make_user("ada@firm.example"), await make_user("eve@other.example", tenant="Other")
    matter = await make_matter(ada)
    ids = []
    for name, hidden in (("a.txt", ["one", "two"]), ("b.txt", []), ("c.txt", ["three"])):
        document = await register_text(store, ada, matter["id"], name, CONTRACT + name)
        content = revision_of(document, CONTRACT + name)
        details = {"hidden_text": hidden} if hidden else {}
        await publish(worker_store, replace(content, health={"details": details}))
        ids.append(document)
    asked = [*ids, "no id", "4f9d0c6e-0000-4000-8000-000000000000"]
    assert await hidden_text(store, ada, asked) == {ids[0]: 2, ids[2]: 1}
    assert await hidden_text(store, ada, []) == {}
    assert await hidden_text(store, eve, asked) == {}
    await delete_document(store, ada, ids[0])
    admin.execute("insert into groups (tenant_id, name) select id, 'Partners' from tenants where name = 'Firm'")
    admin.execute("update documents set group_id = (select id from groups) where id = %s", (ids[2],))
    assert await hidden_text(store, ada, asked) == {}
