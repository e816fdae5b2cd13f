"""Reviews in the database: rows as claimed work, stale cells, verdicts, limits, and what each reader sees."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orderly.errors import Changed, Conflict, Denied, Invalid, NotFound, TakenOver
from orderly.models import Caller
from orderly.store.functions.members import add_matter_member
from orderly.store.functions.review_cells import Cell, judge_cell, review_rows
from orderly.store.functions.review_work import (
    AnsweredCell,
    ClaimedRow,
    claim_review_row,
    due_review_rows,
    release_review_row,
    renew_review_claim,
    rescue_reviews,
    save_review_cells,
)
from orderly.store.functions.reviews import (
    ColumnQuestion,
    Review,
    add_review_columns,
    cancel_review,
    create_review,
    delete_review,
    edit_review,
    edit_review_column,
    get_review,
    list_reviews,
    review_changes,
    run_review,
)
from store.contract import CONTRACT
from support.revisions import republish, revision_of

TERM: ColumnQuestion = {"title": "Term", "question": "How long?", "answer_type": "text"}
LAW: ColumnQuestion = {"title": "Law", "question": "Which law governs?", "answer_type": "jurisdiction"}
WORK: dict[str, Any] = {"lease_seconds": 30, "max_attempts": 3}


@pytest.fixture
async def ada(make_user) -> Caller:
    return await make_user("ada@firm.example")


@pytest.fixture
async def matter(ada, make_matter) -> str:
    return (await make_matter(ada))["id"]


@pytest.fixture
async def documents(ada, matter, publish_text) -> list[str]:
    return [await publish_text(ada, matter, name, CONTRACT) for name in ("a.txt", "b.txt")]


@pytest.fixture
async def review(store, ada, matter, documents) -> Review:
    """A review of two documents by two columns that has been run."""
    made = await create_review(store, ada, matter, "Due diligence")
    await add_review_columns(store, ada, made["id"], [TERM, LAW], cell_limit=10)
    return await run_review(store, ada, made["id"], cell_limit=10)


def answer_to(claimed: ClaimedRow, number: int, text: str = "Twelve months") -> AnsweredCell:
    column = claimed["columns"][number]
    return {
        "column_id": column["id"],
        "column_edition": column["edition"],
        "state": "found",
        "value": {"type": column["answer_type"], "text": text},
        "citations": [(8, 35)],
        "read": {"characters": len(CONTRACT), "pages": 2, "unread": [], "incomplete": ""},
        "confidence": 0.9,
        "engine": "An engine",
        "model": None,
        "note": "",
    }


async def answer_row(worker: Any, review: Review, document: str, text: str = "Twelve months") -> None:
    claimed = await claim_review_row(worker, review["id"], document, **WORK)
    assert claimed is not None
    cells = [answer_to(claimed, n, text) for n in range(len(claimed["columns"]))]
    await save(worker, review, document, claimed, cells)


async def save(worker: Any, review: Review, document: str, claimed: ClaimedRow, cells: list[AnsweredCell]) -> dict[str, int]:
    revision = claimed["revision"]["document"]["revision"]
    assert revision is not None
    claim = claimed["claim"]
    saved = await save_review_cells(worker, review["id"], document, claim=claim, revision_id=revision["id"], cells=cells)
    return dict(saved)


async def cells_of(store: Any, caller: Caller, review: Review, document: str) -> list[Cell]:
    rows = (await review_rows(store, caller, review["id"]))["rows"]
    return next(row["cells"] for row in rows if row["document"]["id"] == document)


async def test_a_run_queues_one_job_a_row_and_fills_every_cell(store, worker_store, ada, documents, review, admin):
    jobs = admin.execute("select task_name from queue.procrastinate_jobs").fetchall()
    assert jobs == [("answer_review",)] * 2
    assert (review["status"], review["waiting"], review["documents"]) == ("running", 4, 2)
    for row in await due_review_rows(worker_store, 30):
        await answer_row(worker_store, review, row["document_id"])
    done = await get_review(store, ada, review["id"])
    assert (done["status"], done["waiting"]) == ("done", 0)
    assert [c["states"] for c in done["columns"]] == [{"found": 2}] * 2
    [cell, _] = await cells_of(store, ada, review, documents[0])
    assert cell["citations"][0]["quote"] == CONTRACT[8:35]
    assert (cell["citations"][0]["page"], cell["citations"][0]["section_label"]) == (1, None)
    assert (cell["current"], cell["engine"], cell["value"]) == (True, "An engine", {"type": "text", "text": "Twelve months"})


async def test_rows_of_people_take_turns(store, worker_store, ada, matter, documents, review, admin, make_user):
    """A person with a short review does not wait for the end of somebody's long one."""
    bea = await make_user("bea@firm.example")
    await add_matter_member(store, ada, matter, member_email="bea@firm.example", member_role="editor")
    again = await create_review(store, ada, matter, "Again")
    short = await create_review(store, bea, matter, "Short", document_ids=documents[:1])
    for caller, made in ((ada, again), (bea, short)):
        await add_review_columns(store, caller, made["id"], [LAW], cell_limit=10)
        await run_review(store, caller, made["id"], cell_limit=10)
    expected = [review["id"], short["id"], review["id"], again["id"], again["id"]]
    # The order in which the queue gives out jobs.
    queued = admin.execute("select args ->> 'review_id' from queue.procrastinate_jobs order by priority desc, id").fetchall()
    assert [row[0] for row in queued] == expected
    due = [row["review_id"] for row in await due_review_rows(worker_store, 30)]
    assert short["id"] in due[:2]


async def test_a_row_is_held_by_one_worker_and_an_answered_cell_is_not_written_again(
    store, worker_store, ada, documents, review
):
    [document, _] = documents
    claimed = await claim_review_row(worker_store, review["id"], document, **WORK)
    assert claimed is not None
    assert await claim_review_row(worker_store, review["id"], document, **WORK) is None
    assert await save(worker_store, review, document, claimed, [answer_to(claimed, 0)]) == {"saved": 1, "waiting": 1}
    assert await save(worker_store, review, document, claimed, [answer_to(claimed, 0, "Again")]) == {"saved": 0, "waiting": 1}
    # Another worker takes the row over after the lease and gets the rest; the first is fenced off.
    second = await claim_review_row(worker_store, review["id"], document, lease_seconds=0, max_attempts=3)
    assert second is not None
    assert [c["title"] for c in second["columns"]] == ["Law"]
    with pytest.raises(TakenOver):
        await save(worker_store, review, document, claimed, [answer_to(claimed, 1, "Late")])
    with pytest.raises(TakenOver):
        await renew_review_claim(worker_store, review["id"], document, claimed["claim"])
    await save(worker_store, review, document, second, [answer_to(second, 0, "Ohio")])
    texts = [cell["value"] and cell["value"]["text"] for cell in await cells_of(store, ada, review, document)]
    assert texts == ["Twelve months", "Ohio"]


async def test_a_lost_job_is_made_again_and_a_row_that_always_stops_its_worker_fails(
    store, worker_store, ada, documents, review, admin
):
    admin.execute("delete from queue.procrastinate_jobs")
    assert await rescue_reviews(worker_store, 30) == 2
    assert await rescue_reviews(worker_store, 30) == 0
    for _ in range(3):
        assert await claim_review_row(worker_store, review["id"], documents[0], lease_seconds=0, max_attempts=3)
    assert await claim_review_row(worker_store, review["id"], documents[0], lease_seconds=0, max_attempts=3) is None
    cells = await cells_of(store, ada, review, documents[0])
    assert [cell["state"] for cell in cells] == ["failed", "failed"]
    assert "cut short 3 times" in cells[0]["note"]
    # A further run tries failed cells again.
    await run_review(store, ada, review["id"], cell_limit=10)
    assert await claim_review_row(worker_store, review["id"], documents[0], **WORK)


async def test_a_row_that_is_put_off_waits_for_its_time(worker_store, documents, review):
    claimed = await claim_review_row(worker_store, review["id"], documents[0], **WORK)
    assert claimed is not None
    await release_review_row(worker_store, review["id"], documents[0], claim=claimed["claim"], delay_seconds=60)
    assert await claim_review_row(worker_store, review["id"], documents[0], **WORK) is None
    assert [row["document_id"] for row in await due_review_rows(worker_store, 30)] == [documents[1]]


async def test_a_new_version_is_answered_again_and_keeps_the_verdict_as_an_earlier_one(
    store, worker_store, ada, documents, review
):
    for document in documents:
        await answer_row(worker_store, review, document)
    [cell, _] = await cells_of(store, ada, review, documents[0])
    await judge_cell(store, ada, cell["id"], "accepted", seen=cell["edition"])
    await republish(store, ada, worker_store, revision_of(documents[0], CONTRACT.replace("twelve", "twenty")))
    [stale, _] = await cells_of(store, ada, review, documents[0])
    assert (stale["state"], stale["current"], stale["verdict"] and stale["verdict"]["current"]) == ("stale", False, False)
    assert [row["document_id"] for row in await due_review_rows(worker_store, 30)] == [documents[0]]
    await answer_row(worker_store, review, documents[0], "Twenty months")
    [answered, _] = await cells_of(store, ada, review, documents[0])
    assert (answered["state"], answered["value"]) == ("found", {"type": "text", "text": "Twenty months"})
    assert answered["verdict"] is not None
    assert answered["verdict"]["value"] == {"type": "text", "text": "Twelve months"}
    assert not answered["verdict"]["current"]


async def test_an_answer_from_an_earlier_version_is_not_saved(store, worker_store, ada, documents, review):
    claimed = await claim_review_row(worker_store, review["id"], documents[0], **WORK)
    assert claimed is not None
    await republish(store, ada, worker_store, revision_of(documents[0], "Another text."))
    assert await save(worker_store, review, documents[0], claimed, [answer_to(claimed, 0)]) == {"saved": 0, "waiting": 2}


async def test_a_new_document_gets_its_row_and_a_cancelled_review_waits(
    store, worker_store, ada, matter, documents, review, publish_text
):
    new = await publish_text(ada, matter, "c.txt", CONTRACT)
    assert new in {row["document_id"] for row in await due_review_rows(worker_store, 30)}
    claimed = await claim_review_row(worker_store, review["id"], new, **WORK)
    assert claimed is not None
    assert (await cancel_review(store, ada, review["id"]))["status"] == "cancelled"
    with pytest.raises(TakenOver):
        await save(worker_store, review, new, claimed, [answer_to(claimed, 0)])
    assert await due_review_rows(worker_store, 30) == []
    assert await rescue_reviews(worker_store, 0) == 0
    later = await publish_text(ada, matter, "d.txt", CONTRACT)
    assert await cells_of(store, ada, review, later) == []
    await run_review(store, ada, review["id"], cell_limit=10)
    assert len(await due_review_rows(worker_store, 0)) == 4


async def test_a_changed_question_is_asked_again_alone_and_a_changed_title_is_not(store, worker_store, ada, documents, review):
    for document in documents:
        await answer_row(worker_store, review, document)
    [term, law] = review["columns"]
    await edit_review_column(store, ada, term["id"], {"title": "Length"})
    assert (await get_review(store, ada, review["id"]))["waiting"] == 0
    changed = await edit_review_column(store, ada, term["id"], {"question": "How many months?"})
    assert [c["states"] for c in changed["columns"]] == [{"stale": 2}, {"found": 2}]
    claimed = await claim_review_row(worker_store, review["id"], documents[0], **WORK)
    assert claimed is not None
    assert [(c["title"], c["edition"]) for c in claimed["columns"]] == [("Length", 2)]
    # An answer to the earlier question is not taken for one to this.
    old = {**answer_to(claimed, 0), "column_edition": 1}
    assert (await save(worker_store, review, documents[0], claimed, [old]))["saved"] == 0  # type: ignore[list-item]
    assert law["edition"] == 1


async def test_a_review_is_renamed_and_its_columns_are_put_into_another_order(store, ada, matter, review):
    term, law = (column["id"] for column in review["columns"])
    changed = await edit_review(store, ada, review["id"], {"name": " Leases ", "columns": [law, term]})
    assert changed["name"] == "Leases"
    assert [column["title"] for column in changed["columns"]] == ["Law", "Term"]
    assert changed["waiting"] == review["waiting"]
    other = await create_review(store, ada, matter, "Other")
    with pytest.raises(Conflict, match="There is a review leases in this matter already"):
        await edit_review(store, ada, other["id"], {"name": "leases"})
    for columns in ([law], [law, law], [law, term, other["id"]], []):
        with pytest.raises(Invalid, match="names each column of the review once"):
            await edit_review(store, ada, review["id"], {"columns": columns})
    with pytest.raises(Invalid, match="one line of visible text"):
        await edit_review(store, ada, review["id"], {"name": "Two\nlines"})


async def test_a_column_is_tried_on_some_documents_and_put_to_the_others_by_a_run(store, ada, matter, documents, publish_text):
    draft = await create_review(store, ada, matter, "Trial")
    await add_review_columns(store, ada, draft["id"], [LAW], cell_limit=10)
    tried: ColumnQuestion = {**TERM, "document_ids": [documents[1]]}
    running = await add_review_columns(store, ada, draft["id"], [tried], cell_limit=10)
    assert (running["status"], running["waiting"]) == ("running", 1)
    [cell] = await cells_of(store, ada, running, documents[1])
    assert cell["column_id"] == running["columns"][1]["id"]
    assert await cells_of(store, ada, running, documents[0]) == []
    # A further column does not put the tried one to the other documents.
    further = await add_review_columns(store, ada, draft["id"], [{**TERM, "title": "Length"}], cell_limit=10)
    assert further["waiting"] == 3
    whole = await run_review(store, ada, draft["id"], cell_limit=10)
    assert whole["waiting"] == 6
    elsewhere = await publish_text(ada, matter, "c.txt", CONTRACT)
    chosen = await create_review(store, ada, matter, "Chosen", document_ids=[documents[0]])
    with pytest.raises(NotFound):
        await add_review_columns(store, ada, chosen["id"], [{**TERM, "document_ids": [elsewhere]}], cell_limit=10)


async def test_of_two_verdicts_on_the_same_cell_one_wins_and_the_other_is_told(
    store, worker_store, ada, matter, documents, review, make_user
):
    bob = await make_user("bob@firm.example")
    member = {"matter_ref": matter, "member_email": "bob@firm.example", "member_role": "editor"}
    await store.rpc(ada, "add_matter_member", member)
    await answer_row(worker_store, review, documents[0])
    [cell, other] = await cells_of(store, ada, review, documents[0])
    won = await judge_cell(store, ada, cell["id"], "accepted", seen=cell["edition"], note="Clause 1")
    with pytest.raises(Changed, match=r"accepted by ada@firm\.example"):
        await judge_cell(store, bob, cell["id"], "rejected", seen=cell["edition"])
    assert won["verdict"] is not None
    assert (won["verdict"]["by"], won["verdict"]["note"]) == ("ada@firm.example", "Clause 1")
    with pytest.raises(Invalid, match="value of the type jurisdiction"):
        await judge_cell(store, bob, other["id"], "corrected", seen=other["edition"], value={"type": "text", "text": "Ohio"})
    right = await judge_cell(
        store, bob, other["id"], "corrected", seen=other["edition"], value={"type": "jurisdiction", "text": "Ohio"}
    )
    assert right["verdict"] is not None
    assert right["verdict"]["value"] == {"type": "jurisdiction", "text": "Ohio"}
    # A further run with "again" leaves verdicts and their cells alone.
    again = await run_review(store, ada, review["id"], cell_limit=10, again=True)
    assert [c["verdicts"] for c in again["columns"]] == [1, 1]
    assert await claim_review_row(worker_store, review["id"], documents[0], **WORK) is None
    withdrawn = await judge_cell(store, ada, won["id"], "none", seen=won["edition"])
    assert withdrawn["verdict"] is None


async def test_a_cell_without_an_answer_can_be_corrected_and_not_accepted(store, ada, documents, review):
    [cell, _] = await cells_of(store, ada, review, documents[0])
    with pytest.raises(Invalid, match="no answer in this cell"):
        await judge_cell(store, ada, cell["id"], "accepted", seen=cell["edition"])
    value: Any = {"type": "text", "text": "One year"}
    right = await judge_cell(store, ada, cell["id"], "corrected", seen=cell["edition"], value=value)
    assert right["verdict"] is not None and right["verdict"]["current"]


async def test_the_limit_of_a_matter_is_told_plainly(store, ada, matter, documents, review):
    second = await create_review(store, ada, matter, "Leases", document_ids=[documents[0]])
    await add_review_columns(store, ada, second["id"], [TERM], cell_limit=5)
    with pytest.raises(Invalid, match=r"at most 5 cells\. The others hold 4 and this one needs 2"):
        await add_review_columns(store, ada, second["id"], [LAW], cell_limit=5)


async def test_names_are_unique_and_a_review_of_chosen_documents_stays_with_them(
    store, worker_store, ada, matter, documents, review, publish_text
):
    with pytest.raises(Conflict, match="There is a review due diligence"):
        await create_review(store, ada, matter, "due diligence")
    with pytest.raises(Invalid, match="no columns yet"):
        await run_review(store, ada, (await create_review(store, ada, matter, "Empty"))["id"], cell_limit=10)
    chosen = await create_review(store, ada, matter, "One", document_ids=[documents[1]])
    await add_review_columns(store, ada, chosen["id"], [TERM], cell_limit=10)
    await run_review(store, ada, chosen["id"], cell_limit=10)
    await publish_text(ada, matter, "c.txt", CONTRACT)
    rows = await review_rows(store, ada, chosen["id"])
    assert [row["document"]["filename"] for row in rows["rows"]] == ["b.txt"]
    assert {r["name"] for r in await list_reviews(store, ada, matter)} == {"Due diligence", "Empty", "One"}
    await delete_review(store, ada, chosen["id"])
    with pytest.raises(NotFound):
        await get_review(store, ada, chosen["id"])


async def test_cells_of_hidden_documents_are_not_there_and_counts_do_not_betray_them(
    store, worker_store, ada, matter, documents, review, make_user, admin
):
    vic = await make_user("vic@firm.example")
    await store.rpc(
        ada, "add_matter_member", {"matter_ref": matter, "member_email": "vic@firm.example", "member_role": "viewer"}
    )
    admin.execute("insert into groups (tenant_id, name) select id, 'Partners' from tenants")
    admin.execute("insert into group_members select id, %s from groups", (ada.user_id,))
    admin.execute("update documents set group_id = (select id from groups) where id = %s", (documents[0],))
    await answer_row(worker_store, review, documents[1])
    seen = await get_review(store, vic, review["id"])
    assert (seen["status"], seen["waiting"], seen["documents"]) == ("done", 0, 1)
    assert [c["states"] for c in seen["columns"]] == [{"found": 1}] * 2
    before = await review_changes(store, vic, review["id"], 0)
    await answer_row(worker_store, review, documents[0])
    assert await review_changes(store, vic, review["id"], 0) == before
    hidden = (await cells_of(store, ada, review, documents[0]))[0]
    with pytest.raises(NotFound):
        await judge_cell(store, vic, hidden["id"], "accepted", seen=hidden["edition"])
    with pytest.raises(Denied):
        await run_review(store, vic, review["id"], cell_limit=10)


async def test_the_limit_of_a_matter_counts_no_cell_of_a_hidden_document(
    store, ada, matter, documents, review, make_user, admin
):
    bob = await make_user("bob@firm.example")
    member = {"matter_ref": matter, "member_email": "bob@firm.example", "member_role": "editor"}
    await store.rpc(ada, "add_matter_member", member)
    admin.execute("insert into groups (tenant_id, name) select id, 'Partners' from tenants")
    admin.execute("insert into group_members select id, %s from groups", (ada.user_id,))
    admin.execute("update documents set group_id = (select id from groups) where id = %s", (documents[0],))
    own = await create_review(store, bob, matter, "One")
    await add_review_columns(store, bob, own["id"], [TERM], cell_limit=3)
    with pytest.raises(Invalid, match="The others hold 2 and this one needs 2 "):
        await add_review_columns(store, bob, own["id"], [LAW], cell_limit=3)


async def test_changes_are_given_in_order_and_cells_that_changed_together_stay_together(
    store, worker_store, ada, documents, review
):
    start = (await get_review(store, ada, review["id"]))["changed"]
    for document in documents:
        await answer_row(worker_store, review, document)
    page = await review_changes(store, ada, review["id"], start, match_count=1)
    assert (len(page["cells"]), page["more"]) == (2, True)
    assert {c["document_id"] for c in page["cells"]} == {documents[0]}
    rest = await review_changes(store, ada, review["id"], page["cells"][-1]["changed"])
    assert {c["document_id"] for c in rest["cells"]} == {documents[1]}
    assert not rest["more"]


async def test_the_record_names_every_change_and_no_words_of_the_documents(store, worker_store, ada, documents, review, admin):
    await answer_row(worker_store, review, documents[0], "Twelve words of the contract")
    [cell, _] = await cells_of(store, ada, review, documents[0])
    await judge_cell(store, ada, cell["id"], "accepted", seen=cell["edition"])
    await cancel_review(store, ada, review["id"])
    entries = admin.execute("select action, detail::text from audit_log order by id").fetchall()
    actions = {action for action, _ in entries}
    assert {"create_review", "add_review_columns", "run_review", "answer_review", "judge_cell", "cancel_review"} <= actions
    assert not [detail for _, detail in entries if "Twelve words" in detail]
    [judged] = [json.loads(detail) for action, detail in entries if action == "judge_cell"]
    assert (judged["column"], judged["verdict"]) == ("Term", "accepted")
    # A purge removes answers, verdicts and citations with their document.
    await store.rpc(ada, "delete_document", {"document_id": documents[0]})
    await worker_store.rpc("purge_deleted", {})
    assert admin.execute("select count(*) from review_cells where document_id = %s", (documents[0],)).fetchall() == [(0,)]
    assert await due_review_rows(worker_store, 30) == []
