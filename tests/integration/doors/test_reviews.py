"""A review over REST with the server's own worker: progress live, verdicts, columns; and the tool that reads it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pymupdf
import pytest
from docx import Document
from openpyxl import load_workbook
from PIL import Image

from integration.doors.conftest import SignedIn
from integration.doors.test_events import Event, parsed
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import ask
from orderly.agent.tools import ask_documents, read_review
from orderly.errors import EngineUnavailable
from orderly.graph import graph
from orderly.models import Caller
from orderly.services.engines.local import LocalEngine
from orderly.services.reviews import RowAnswerer
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

LAW = {"title": "Law", "question": "Which law governs?", "answer_type": "jurisdiction", "subject": "governing law"}
ASSIGN = {"title": "Assignment", "question": "Is assignment restricted?", "answer_type": "yes_no", "subject": "assignment"}
NOTICE = {"title": "Notice", "question": "How much notice ends the lease?", "answer_type": "duration"}
INTEREST = {"title": "Interest", "question": "What do past due amounts bear?", "answer_type": "text"}
NOTE = "A letter about the weather in spring, which was mild and rather wet, and about nothing else at all."


@pytest.fixture
async def reviews(http: httpx.AsyncClient, matter: dict[str, Any], add_file: Any) -> str:
    """The matter's reviews; the matter holds a lease and a letter."""
    await add_file("lease.txt", LEASE)
    await add_file("letter.txt", NOTE)
    return f"/api/matters/{matter['number']}/reviews"


@asynccontextmanager
async def events(http: httpx.AsyncClient, review: str, **headers: str) -> AsyncIterator[AsyncIterator[Event]]:
    async with http.stream("GET", f"{review}/events", headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        yield parsed(response.aiter_lines())


async def until_done(stream: AsyncIterator[Event]) -> list[Event]:
    seen: list[Event] = []
    async with asyncio.timeout(30):
        async for event in stream:
            seen.append(event)
            if event.data["review"]["status"] == "done":
                return seen
    raise AssertionError(seen)


async def made(http: httpx.AsyncClient, reviews: str, *columns: dict[str, Any], run: bool = True) -> dict[str, Any]:
    response = await http.post(reviews, json={"name": "Leases", "columns": columns, "run": run})
    assert response.status_code == 201, response.text
    found: dict[str, Any] = response.json()
    return found


async def cells(http: httpx.AsyncClient, review: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The cells by name of the document and title of the column."""
    titles = {c["id"]: c["title"] for c in (await http.get(review)).json()["columns"]}
    rows = (await http.get(f"{review}/rows")).json()["rows"]
    return {(row["document"]["filename"], titles[cell["column_id"]]): cell for row in rows for cell in row["cells"]}


async def test_a_review_is_answered_live_with_quotations_judged_and_read_by_the_tool(
    http: httpx.AsyncClient, reviews: str, matter: dict[str, Any], acting: Any, ada: Caller
) -> None:
    review = f"{reviews}/{(await made(http, reviews, LAW, ASSIGN, NOTICE, run=False))['id']}"
    async with events(http, review) as stream:
        assert (await http.post(f"{review}/run", json={})).json()["waiting"] == 6
        seen = await until_done(stream)
    ids = [f"{review.rsplit('/', 1)[-1]}:0", "00000000-0000-4000-8000-000000000000"]
    async with http.stream("GET", "/api/events", params={"reviews": ids}) as response:
        merged = parsed(response.aiter_lines())
        by_scope = {event.data["scope"]: event for event in [await anext(merged), await anext(merged)]}
    assert len(by_scope[f"reviews:{ids[0]}"].data["cells"]) == 6, "a browser's one connection has the events of its reviews"
    assert by_scope[f"reviews:{ids[1]}"].kind == "end"
    told = {(c["document_id"], c["column_id"]) for e in seen for c in e.data["cells"] if c["state"] != "queued"}
    assert len(told) == 6
    found = await cells(http, review)
    law = found["lease.txt", "Law"]
    assert (law["state"], law["value"]["jurisdiction"]) == ("found", "New South Wales, Australia")
    for cell in found.values():
        assert all(LEASE[c["start"] : c["end"]] == c["quote"] for c in cell["citations"])
        assert bool(cell["citations"]) == (cell["state"] in ("found", "candidate"))
    assert found["lease.txt", "Notice"]["value"]["iso"] == "P90D"
    nothing = found["letter.txt", "Law"]
    assert (nothing["state"], nothing["read"]["characters"]) == ("not_found", len(NOTE))

    verdict = f"{review}/cells/{law['id']}/verdict"
    accepted = await http.post(verdict, json={"verdict": "accepted", "seen": law["edition"]})
    assert accepted.json()["verdict"]["by"] == "ada@firm.example"
    late = await http.post(verdict, json={"verdict": "rejected", "seen": law["edition"]})
    assert (late.status_code, "accepted by ada@firm.example" in late.json()["detail"]) == (412, True)
    wrong = {"verdict": "corrected", "seen": nothing["edition"], "value": {"type": "jurisdiction", "text": "Victoria"}}
    corrected = await http.post(f"{review}/cells/{nothing['id']}/verdict", json=wrong)
    assert corrected.json()["verdict"]["value"]["text"] == "Victoria"

    assert corrected.json()["verdict"]["value"]["jurisdiction"] == "Victoria, Australia"
    soon = {
        "verdict": "corrected",
        "seen": found["letter.txt", "Notice"]["edition"],
        "value": {"type": "duration", "text": "soon"},
    }
    refused = await http.post(f"{review}/cells/{found['letter.txt', 'Notice']['id']}/verdict", json=soon)
    assert (refused.status_code, refused.json()["detail"]) == (
        422, "'soon' is not a period, such as 90 days, 12 months or perpetual."
    )  # fmt: skip

    ask = {"matter_id": matter["number"], "review": "leases", "where": ["Law ~ wales"], "count_by": "Law"}
    text = await read_review.ainvoke(ask, acting(ada))
    assert "1 of 2 documents for which the filters hold." in text
    assert "Law: New South Wales, Australia [accepted] — “" in text
    whole = await read_review.ainvoke({**ask, "where": ["Assignment = no"]}, acting(ada))
    assert "Law: Victoria [corrected by hand, without a quotation]" in whole
    listed = await read_review.ainvoke({"matter_id": matter["number"]}, acting(ada))
    assert "Leases: done, 2 documents × 3 columns" in listed
    other = await read_review.ainvoke({**ask, "where": ["Notice != 30 days"]}, acting(ada))
    assert "1 of 2 documents for which the filters hold." in other
    assert "Not decided, because a value is open, partial or not found: letter.txt." in other
    error = await read_review.ainvoke({**ask, "where": ["Rent < 7"]}, acting(ada))
    assert error.startswith("Error: 'Rent < 7' is no filter of this review.") and "Law, Assignment, Notice" in error


async def test_a_question_to_many_documents_is_kept_as_a_review_if_asked(
    http: httpx.AsyncClient, reviews: str, matter: dict[str, Any], acting: Any, ada: Caller, stranger: Caller
) -> None:
    ask = {"matter_id": matter["number"], "question": "Which law governs the agreement?"}
    assert "Kept as" not in await ask_documents.ainvoke(ask, acting(ada))
    keep = {**ask, "keep_as": "Laws"}
    text = await ask_documents.ainvoke(keep, acting(ada))
    assert "Kept as a column of the review Laws: " in text and "2 documents × 1 column" in text
    await ask_documents.ainvoke({**keep, "question": "How much notice ends the lease?", "keep_as": "laws"}, acting(ada))
    [review] = (await http.get(reviews)).json()
    assert len(review["columns"]) == 2
    async with events(http, f"{reviews}/{review['id']}", **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    shown = await read_review.ainvoke({"matter_id": matter["number"], "review": "Laws"}, acting(ada))
    assert "New South Wales, Australia" in shown and "90 days" in shown
    assert "not found" in await ask_documents.ainvoke(keep, acting(stranger))


async def test_one_reading_of_a_document_serves_its_columns_and_a_changed_one_runs_alone(
    http: httpx.AsyncClient, reviews: str, add_file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    answer = RowAnswerer._answer

    async def counted(self: RowAnswerer, row: Any) -> None:
        read.append(", ".join(column["title"] for column in row.claimed["columns"]))
        await answer(self, row)

    monkeypatch.setattr(RowAnswerer, "_answer", counted)
    review = f"{reviews}/{(await made(http, reviews, LAW, ASSIGN))['id']}"
    async with events(http, review, **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    assert read == ["Law, Assignment"] * 2
    column = (await http.get(review)).json()["columns"][1]["id"]
    async with events(http, review) as stream:
        await anext(stream)
        assert (await http.patch(f"{review}/columns/{column}", json={"question": "May it be assigned?"})).is_success
        await until_done(stream)
    assert read[2:] == ["Assignment"] * 2
    async with events(http, review) as stream:
        await anext(stream)
        await add_file("third.txt", NOTE + " It is spring.")
        await until_done(stream)
    assert read[4:] == ["Law, Assignment"]


async def test_a_colleague_without_the_matter_and_a_viewer_are_refused(
    http: httpx.AsyncClient, colleague: httpx.AsyncClient, reviews: str, services: Services, signed_in: SignedIn, make_user: Any
) -> None:
    review = f"{reviews}/{(await made(http, reviews, LAW, run=False))['id']}"
    for path in (reviews, review, f"{review}/rows", f"{review}/events"):
        assert (await colleague.get(path)).status_code == 404
    vic = await make_user("vic@firm.example")
    matter = reviews.removesuffix("/reviews")
    await http.post(f"{matter}/members", json={"email": "vic@firm.example", "role": "viewer"})
    viewer = await signed_in(vic)
    assert (await viewer.get(review)).is_success
    for path in (f"{review}/run", f"{review}/cancel"):
        assert (await viewer.post(path, json={})).status_code == 403


class Away(LocalEngine):
    async def extract(self, question: str, context: str, *, top_k: int = 3, quick: bool = False) -> Any:
        raise EngineUnavailable("The engine is away.")


async def test_an_engine_that_is_away_puts_the_row_off_and_the_last_attempt_says_so(
    services: Services, operator: Operator, ada: Caller, matter: dict[str, Any], add_file: Any
) -> None:
    settings = services.settings.model_copy(update={"retry_seconds": 0.0, "max_attempts": 2})
    answerer = replace(operator.rows, engine=Away(), settings=settings)
    document = await add_file("lease.txt", LEASE)
    columns: Any = [LAW, INTEREST]
    review = await services.reviews.create(ada, matter["id"], "Leases", columns, run=True)
    for attempt in ("first", "last"):
        assert await answerer.answer(review["id"], document), attempt
        [row] = (await services.reviews.rows(ada, review["id"]))["rows"]
        states = [cell["state"] for cell in row["cells"]]
        assert states == ["found", "queued" if attempt == "first" else "failed"]
    assert row["cells"][1]["note"] == "The engine is away."
    await services.reviews.run(ada, review["id"])
    assert await operator.rows.answer_due(review["id"]) == 1
    [row] = (await services.reviews.rows(ada, review["id"]))["rows"]
    assert row["cells"][1]["state"] in ("found", "candidate")


async def test_a_review_is_downloaded_as_a_workbook_lines_or_a_report_with_marked_pages(
    http: httpx.AsyncClient, reviews: str, matter: dict[str, Any]
) -> None:
    review = f"{reviews}/{(await made(http, reviews, LAW))['id']}"
    async with events(http, review, **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    book = await http.get(f"{review}/export")
    assert book.headers["content-disposition"].startswith('attachment; filename="Leases.xlsx"')
    sheet = load_workbook(io.BytesIO(book.content))["Review"]
    assert [c.value for c in sheet[3]] == ["lease.txt", "New South Wales, Australia"]
    lines = (await http.get(f"{review}/export", params={"format": "csv"})).content.decode("utf-8-sig").splitlines()
    assert lines[0].startswith('"Exported ') and "for ada@" in lines[0]
    report = Document(io.BytesIO((await http.get(f"{review}/export", params={"format": "docx"})).content))
    assert not report.inline_shapes, "a document without pages has no exhibits"
    assert (await http.get(f"{review}/export", params={"format": "exe"})).status_code == 422


async def test_a_question_that_compares_values_is_answered_offline_from_a_finished_review_of_the_matter(
    http: httpx.AsyncClient, matter: dict[str, Any], add_file: Any, services: Services, ada: Caller
) -> None:
    renews = "It then renews automatically for successive periods of one year."
    for name, end, more in (
        ("Soon", "31 December 2026", renews),
        ("Late", "31 December 2029", renews),
        ("Once", "1 May 2026", ""),
    ):
        text = f"SUPPLY AGREEMENT\n\n1. This Agreement begins on 5 May 2025 and runs until {end}. {more}\n"
        await add_file(f"{name}.txt", text)

    async def answer() -> str:
        question = "Which contracts renew automatically and end before July 2027?"
        return (await ask(graph, services, ada, question, context=RunContext(matter_id=matter["id"]))).text

    assert "From the review" not in await answer()
    columns = [
        {"title": "Renewal", "question": "For how long does it renew?", "answer_type": "duration", "subject": "renewal"},
        {"title": "Expiry", "question": "When does the term end?", "answer_type": "date", "subject": "term and expiry"},
    ]
    reviews = f"/api/matters/{matter['number']}/reviews"
    review = f"{reviews}/{(await made(http, reviews, *columns))['id']}"
    async with events(http, review, **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    text = await answer()
    assert "From the review Leases, 1 of 3 documents, for: Renewal present; Expiry < 2027-07." in text, text
    assert "**Soon.txt**: Renewal: 1 year" in text and f"“{renews}” [1]" in text and "Late.txt" not in text


async def test_a_report_shows_each_quoted_page_once_with_all_its_quotations_marked(
    http: httpx.AsyncClient, matter: dict[str, Any], add_file: Any
) -> None:
    with pymupdf.open() as file:
        for text in (
            "LEASE between Alpha Ltd and Beta Ltd",
            "1. This lease is governed by the law of Victoria.\n\n2. The tenant may not assign this lease without consent.",
        ):
            file.new_page().insert_text((72, 90), text)
        await add_file("lease.pdf", file.tobytes())
    reviews = f"/api/matters/{matter['number']}/reviews"
    review = f"{reviews}/{(await made(http, reviews, LAW, ASSIGN))['id']}"
    async with events(http, review, **{"Last-Event-ID": "0"}) as stream:
        await until_done(stream)
    report = Document(io.BytesIO((await http.get(f"{review}/export", params={"format": "docx"})).content))
    quotations = [row.cells[2].text for row in report.tables[-1].rows][1:]
    assert len(quotations) == 2 and all("page 2" in words and words.endswith("exhibit 1)") for words in quotations), quotations
    assert [p.text for p in report.paragraphs if p.text.startswith("Exhibit ")] == ["Exhibit 1: lease, page 2"]
    [picture] = [part.blob for part in report.part.related_parts.values() if "image" in part.content_type]
    assert len(marked_lines(picture)) == 2


def marked_lines(png: bytes) -> list[int]:
    """Where lines with a coloured mark begin, from the top."""
    picture = Image.open(io.BytesIO(png)).convert("HSV").getchannel("S")
    coloured = [picture.crop((0, y, picture.width, y + 1)).getextrema()[1] > 40 for y in range(picture.height)]
    return [y for y in range(1, picture.height) if coloured[y] and not coloured[y - 1]]


async def test_ready_made_columns_and_a_proposal_can_be_added_as_they_are_sent(http: httpx.AsyncClient, reviews: str) -> None:
    sets = {found["name"]: found["columns"] for found in (await http.get("/api/review-columns/sets")).json()}
    assert len(sets) == 7
    proposed = (await http.get("/api/review-columns/proposal", params={"question": "Can the landlord move us?"})).json()
    assert (proposed["title"], proposed["subject"]) == ("Relocation by the landlord", "relocation")
    review = await made(http, reviews, *sets["ndas"], proposed, run=False)
    assert [column["title"] for column in review["columns"]][-2:] == ["Governing law", "Relocation by the landlord"]


async def test_a_question_in_other_words_asks_for_a_ready_made_column_with_its_question(
    http: httpx.AsyncClient, reviews: str
) -> None:
    typed = "Can we assign without their consent?"
    review = await made(http, reviews, {"question": typed}, {"question": typed, "answer_type": "text"}, run=False)
    ready, own = review["columns"]
    assert (ready["question"], ready["subject"]) == ("Is assignment prohibited or subject to consent?", "assignment")
    assert (own["question"], own["subject"], own["answer_type"]) == (typed, None, "text")
