"""OCR of a scan resumes after the last page that was read."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pymupdf
import pytest

from orderly.errors import OcrFailed, TakenOver
from orderly.models import Caller
from orderly.services.document_processor import DocumentProcessor
from orderly.services.document_processor.drafts import Recognised
from orderly.services.ingestion.ocr_pages import StoredPages
from orderly.services.ingestion.pipeline import Ingestor
from orderly.services.ocr.protocol import OcrPage, OcrWord
from orderly.wiring.services import Operator
from support.revisions import claim

PAGES = 5


class Vision:
    """Reads pages in order and blocks forever before page `stop`."""

    name = "vision-model"

    def __init__(self, *, first: int = 1, stop: int | None = None, fails: bool = False) -> None:
        self.stop, self.fails = stop, fails
        self.read = first - 1
        self.stopped = asyncio.Event()

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        if self.fails:
            raise OcrFailed("It is out of order.")
        if self.read + 1 == self.stop:
            self.stopped.set()
            await asyncio.Event().wait()
        self.read += 1
        text = f"Page {self.read} of the scan\0."
        return OcrPage(text, (OcrWord(0, 4, (10.0, 20.0, 110.0, 60.0), 97.5),), 97.5)


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    with pymupdf.open() as drawn, pymupdf.open() as document:
        drawn.new_page().insert_text((72, 100), "A line of a scanned page", fontsize=20)
        picture = drawn[0].get_pixmap(dpi=72)
        for _ in range(PAGES):
            page = document.new_page()
            page.insert_image(page.rect, pixmap=picture)
        document.save(tmp_path / "scan.pdf")
    return tmp_path / "scan.pdf"


@pytest.fixture
def with_vision(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> Callable[[Vision], Ingestor]:
    monkeypatch.setattr("orderly.services.document_processor.page_ocr.CONCURRENT_PAGES", 1)
    return lambda vision: dataclasses.replace(operator.ingestor, processor=DocumentProcessor(vision))


@pytest.fixture
async def interrupted(
    with_vision: Callable[[Vision], Ingestor], operator: Operator, ada: Caller, matter: dict[str, Any], scan: Path
) -> dict[str, Any]:
    """A scan whose OCR was interrupted after three pages."""
    vision = Vision(stop=4)
    work = asyncio.create_task(
        dataclasses.replace(operator.file_ingestor, ingestor=with_vision(vision)).add(ada, matter["id"], scan)
    )
    await vision.stopped.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    (document,) = (await operator.file_ingestor.store.rpc(ada, "list_documents", {"matter_ref": matter["id"]}))["documents"]
    found: dict[str, Any] = await operator.worker.rpc("worker_document", {"document_id": document["id"]})
    return found


async def text_of(operator: Operator, ada: Caller, document_id: str) -> str:
    return str((await operator.file_ingestor.store.rpc(ada, "get_revision", {"document_id": document_id}))["text"])


def stored_pages(database_url: str) -> int:
    with psycopg.connect(database_url) as admin:
        ((number,),) = admin.execute("select count(*) from public.ocr_pages").fetchall()
    return int(number)


async def test_only_missing_pages_are_read(
    interrupted: dict[str, Any],
    with_vision: Callable[[Vision], Ingestor],
    operator: Operator,
    ada: Caller,
    database_url: str,
) -> None:
    assert stored_pages(database_url) == 3
    done: list[int] = []
    vision = Vision(first=4)
    report = await with_vision(vision).process(
        interrupted["id"], progress=lambda stage, n, of: done.append(n) if stage == "ocr" else None
    )
    assert report is not None and (report.status, report.pages) == ("ready", PAGES)
    assert vision.read == PAGES
    assert done == [0, 1, 2, 3, 4, 5]
    text = await text_of(operator, ada, interrupted["id"])
    assert text.split("\n") == [f"Page {number} of the scan\ufffd." for number in range(1, PAGES + 1)]
    lines = [
        (await operator.file_ingestor.store.rpc(ada, "open_page", {"path_part_id": interrupted["id"], "page_number": number}))[
            "page"
        ]
        for number in (1, PAGES)
    ]
    assert lines[0]["lines"][0][2:] == lines[1]["lines"][0][2:] != [], "a stored page must keep its boxes"
    assert stored_pages(database_url) == 0


async def test_another_engine_reads_all_pages_again(
    interrupted: dict[str, Any], with_vision: Callable[[Vision], Ingestor], operator: Operator
) -> None:
    vision = Vision()
    vision.name = "another-model"
    await with_vision(vision).process(interrupted["id"])
    assert vision.read == PAGES


async def test_stored_pages_are_used_when_the_engine_fails(
    interrupted: dict[str, Any], with_vision: Callable[[Vision], Ingestor]
) -> None:
    report = await with_vision(Vision(fails=True)).process(interrupted["id"])
    assert report is not None and report.status == "partial"
    assert "4" in report.reason and "5" in report.reason


async def test_a_worker_without_the_claim_stores_no_page(
    interrupted: dict[str, Any], with_vision: Callable[[Vision], Ingestor], operator: Operator, database_url: str
) -> None:
    held = await claim(operator.worker, interrupted["id"])
    pages, late = StoredPages(operator.worker, interrupted["id"], held), Recognised(5, "e", OcrPage("Late."), 1.0, 0.0, 0.0)
    await operator.worker.rpc(
        "retry_document", {"document_id": interrupted["id"], "claim": held, "reason": "", "delay_seconds": 0}
    )
    await with_vision(Vision(first=4)).process(interrupted["id"])
    with pytest.raises(TakenOver):
        await pages.put(late, "200 dpi")
    assert stored_pages(database_url) == 0


async def test_a_new_page_resets_the_attempts_and_a_repeated_page_does_not(
    interrupted: dict[str, Any], operator: Operator
) -> None:
    held = await claim(operator.worker, interrupted["id"])
    with psycopg.connect(operator.ingestor.settings.database_url.get_secret_value(), autocommit=True) as admin:
        for page, attempts in ((4, 1), (4, 3), (5, 1)):
            admin.execute("update public.documents set attempts = 3 where id = %s", (interrupted["id"],))
            found = Recognised(page, "e", OcrPage("Words."), 1.0, 0.0, 0.0)
            await StoredPages(operator.worker, interrupted["id"], held).put(found, "200 dpi")
            (row,) = admin.execute("select attempts from public.documents where id = %s", (interrupted["id"],)).fetchall()
            assert row == (attempts,)


async def test_pages_of_another_file_are_not_used(interrupted: dict[str, Any], operator: Operator, database_url: str) -> None:
    pages = StoredPages(operator.worker, interrupted["id"], await claim(operator.worker, interrupted["id"]))
    assert await pages.get(1, "vision-model", "200 dpi, en, whole page") is not None
    with psycopg.connect(database_url) as admin:
        admin.execute("update public.documents set sha256 = repeat('0', 64) where id = %s", (interrupted["id"],))
    assert await pages.get(1, "vision-model", "200 dpi, en, whole page") is None


async def test_deleting_the_document_deletes_its_pages(
    interrupted: dict[str, Any], operator: Operator, ada: Caller, database_url: str
) -> None:
    await operator.file_ingestor.store.rpc(ada, "delete_document", {"document_id": interrupted["id"]})
    assert stored_pages(database_url) == 0
