"""Documents that an earlier edition of the readers has read are counted, and queued to be read again."""

from __future__ import annotations

from dataclasses import replace

from orderly.store.functions.deletion import delete_document
from orderly.store.functions.ingestion import outdated_documents, queue_outdated
from support.revisions import publish, register_text, revision_of


async def test_documents_of_an_earlier_edition_of_the_readers_are_queued_once(
    store, worker_store, make_user, make_matter, admin
):
    ada = await make_user("ada@firm.example")
    matter = await make_matter(ada)
    ids = []
    for name, health in (("a.txt", {}), ("b.txt", {"edition": 2}), ("c.txt", {"edition": 1}), ("d.txt", {})):
        document = await register_text(store, ada, matter["id"], name, name)
        await publish(worker_store, replace(revision_of(document, name), health=health))
        ids.append(document)
    await delete_document(store, ada, ids[3])
    assert await outdated_documents(worker_store, 2) == 2
    first = await queue_outdated(worker_store, 2, row_count=1)
    assert [(one["document_id"], one["filename"]) for one in first] == [(ids[0], "a.txt")]
    rest = await queue_outdated(worker_store, 2, after=first[0]["upload_order"])
    assert [one["document_id"] for one in rest] == [ids[2]]
    assert await queue_outdated(worker_store, 2) == [] and await outdated_documents(worker_store, 2) == 0
    await publish(worker_store, replace(revision_of(ids[2], "c.txt again"), health={"edition": 2}))
    assert await outdated_documents(worker_store, 3) == 2, "the one that is queued is being read again already"
    ((recorded,),) = admin.execute("select count(*) from audit_log where action = 'queue_outdated'").fetchall()
    assert recorded == 2
