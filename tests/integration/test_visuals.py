"""Visual search: the embedded index, ColiVara as its replacement, and page descriptions."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pymupdf
import pytest
import respx
from PIL import Image, ImageDraw
from pydantic import SecretStr

from orderly.agent import tools
from orderly.agent.tools.time_limits import LIMITS
from orderly.models import Caller, Extracted
from orderly.services.document_processor import DocumentProcessor
from orderly.services.document_processor.visual_detection import find_visuals
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services, open_operator, open_services
from support.lease import LEASE
from support.scripted_model import serve

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
Look = Callable[..., Awaitable[str]]

PROSE = "The parties agree on the delivery of the goods and on nothing else that is written in this place. " * 4


def photograph() -> bytes:
    image = Image.radial_gradient("L").resize((300, 200)).convert("RGB")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def illustrated() -> bytes:
    """Returns a PDF with prose, a plan, a photograph with a caption, a table and a signature page."""
    document = pymupdf.open()
    document.new_page().insert_textbox((72, 72, 520, 300), f"SUPPLY DEED\n\n{PROSE}")
    plan = document.new_page()
    plan.insert_textbox((72, 72, 520, 200), PROSE)
    for n in range(6):
        plan.draw_circle((200 + 20 * n, 400), 40 + 5 * n)
    plan.insert_text((150, 500), "Figure 2: Rack elevation of the north depot")
    photo = document.new_page()
    photo.insert_textbox((72, 72, 520, 200), PROSE)
    photo.insert_image(pymupdf.Rect(100, 300, 400, 500), stream=photograph())
    photo.insert_text((100, 520), "The damaged retaining wall, seen from the road")
    table = document.new_page()
    for n in range(5):
        table.draw_line((100, 200 + 30 * n), (400, 200 + 30 * n))
    for n in range(4):
        table.draw_line((100 + 100 * n, 200), (100 + 100 * n, 320))
    table.insert_text((110, 220), "Royalty rate")
    signing = document.new_page()
    signing.insert_textbox((72, 72, 520, 200), "IN WITNESS WHEREOF the parties have executed this deed.")
    signing.insert_text((72, 300), "By: ____________________")
    data: bytes = document.tobytes()
    document.close()
    return data


@pytest.fixture
def look(ada: Caller, acting: Acting, matter: dict[str, Any]) -> Look:
    async def invoke(query: str, caller: Caller | None = None, **arguments: Any) -> str:
        given = {"matter_id": matter["id"], "query": query, **arguments}
        text: str = await tools.visual_search.ainvoke(given, acting(caller or ada))
        return text

    return invoke


@pytest.mark.parametrize(
    ("query", "page", "shows"),
    [
        ("rack elevation drawing", 2, "drawing"),
        ("photograph of the wall", 3, "picture"),
        ("royalty table", 4, "table"),
        ("signature page", 5, "signature"),
    ],
)
async def test_pages_are_found_by_their_visuals_and_captions(
    look: Look, add_file: Add, query: str, page: int, shows: str
) -> None:
    document = await add_file("deed.pdf", illustrated())
    text = await look(query)
    first = text.split("\n\n")[1]
    assert first.startswith(f"1. [deed.pdf, Page {page}]\n") and f"- Shows: {shows}" in first, text
    assert f"ID: {document} (to see it: view_page with page_number={page})" in first
    assert "Index: the embedded one" in text


async def test_pages_without_visuals_are_not_found(look: Look, add_file: Add) -> None:
    await add_file("deed.pdf", illustrated())
    pages = set(re.findall(r"\[deed\.pdf, Page (\d)\]", await look("picture drawing table signature", max_results=10)))
    assert pages == {"2", "3", "4", "5"}
    assert len(re.findall(r"^\d+\. \[", await look("picture drawing table signature", max_results=2), re.M)) == 2
    assert "Figure 2: Rack elevation of the north depot" in await look("rack elevation")
    assert "The damaged retaining wall" in await look("wall")


async def test_stamps_and_handwriting_are_distinguished(look: Look, add_file: Add) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_textbox((72, 72, 520, 200), PROSE)
    page.add_stamp_annot(pymupdf.Rect(300, 300, 450, 350), stamp=1)
    other = document.new_page()
    other.insert_textbox((72, 72, 520, 200), PROSE)
    other.add_ink_annot([[(100, 400), (120, 380), (140, 410), (180, 390)]])
    await add_file("marked.pdf", document.tobytes())
    document.close()
    assert "1. [marked.pdf, Page 1]\n   - Shows: stamp" in await look("stamp")
    assert "1. [marked.pdf, Page 2]\n   - Shows: signature" in await look("handwriting")


async def test_an_image_file_is_found_by_its_text(look: Look, add_file: Add) -> None:
    image = Image.new("RGB", (1200, 600), "white")
    ImageDraw.Draw(image).text((100, 200), "EVACUATION PLAN LEVEL SEVEN", fill="black", font_size=60)
    file = io.BytesIO()
    image.save(file, "PNG", dpi=(150, 150))
    await add_file("plan.png", file.getvalue())
    assert "[plan.png, Page 1]" in await look("evacuation plan")


async def test_a_search_without_visuals_says_so(look: Look, add_file: Add, stranger: Caller, matter: dict[str, Any]) -> None:
    assert await look("plan") == "No documents found in this matter. Upload documents first."
    await add_file("lease.txt", LEASE)
    assert (await look("site plan")).startswith(f"No pages found in matter {matter['number']} that show: 'site plan'")
    assert await look("plan", stranger) == f"Error: Matter {matter['id']} not found or you don't have access."
    assert await look("  ") == "Error: The query is empty."


async def test_documents_without_a_visual_index_are_named(
    look: Look, ada: Caller, matter: dict[str, Any], publish_text: Callable[..., Awaitable[str]]
) -> None:
    await publish_text(ada, matter["id"], "old.txt", LEASE)
    assert "Not looked at, or not in full: old.txt (it was taken in before" in await look("plan")


async def test_a_broken_page_does_not_affect_other_pages(
    look: Look, add_file: Add, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(page: Any) -> Any:
        if page.number == 1:
            raise ValueError("a page that is not what it promises")
        return ()

    async def here(_: DocumentProcessor, path: Path, extracted: Extracted) -> tuple[list[dict[str, Any]], list[int]]:
        found = find_visuals(path, extracted.text, extracted.pages)
        return list(found.records), list(found.unseen)

    monkeypatch.setattr("orderly.services.document_processor.visual_detection._drawings", broken)
    monkeypatch.setattr(DocumentProcessor, "find_visuals", here)  # runs in this process, so that a page can be patched to fail
    await add_file("deed.pdf", illustrated())
    text = await look("photograph signature")
    assert "[deed.pdf, Page 3]" in text and "Not looked at, or not in full: deed.pdf (Not looked at: page 2)." in text


# ColiVara


class Peer:
    """A peer for ColiVara's documented API."""

    def __init__(self) -> None:
        self.documents: dict[tuple[str, str], dict[str, Any]] = {}
        self.pages: list[tuple[str, int, float]] = []
        self.status = 200

    def __call__(self, request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == "Bearer cv-key"
        if self.status != 200:
            return httpx.Response(self.status, json={"detail": "no"})
        path = request.url.path
        if path == "/v1/documents/upsert-document/":
            body = json.loads(request.content)
            self.documents[body["collection_name"], body["name"]] = body
            answer = {"id": 1, "name": body["name"], "num_pages": 5, "collection_name": body["collection_name"], "metadata": {}}
            return httpx.Response(201, json=answer)
        if path == "/v1/search/":
            body = json.loads(request.content)
            results = [
                {
                    "collection_name": collection,
                    "collection_id": 1,
                    "document_name": name,
                    "document_id": 1,
                    "document_metadata": held["metadata"],
                    "page_number": page,
                    "raw_score": score * 10,
                    "normalized_score": score,
                    "img_base64": "",
                }
                for (collection, name), held in self.documents.items()
                for _, page, score in self.pages
                if collection == body["collection_name"]
            ]
            results.sort(key=lambda r: -r["normalized_score"])
            return httpx.Response(200, json={"query": body["query"], "results": results[: body["top_k"]]})
        name = path.removeprefix("/v1/documents/delete-document/").strip("/")
        known = self.documents.pop((request.url.params["collection_name"], name), None)
        return httpx.Response(204 if known else 404, json=None if known else {"detail": "none"})


@pytest.fixture
def peer() -> Peer:
    return Peer()


def transcribed_or_described(request: dict[str, Any]) -> str:
    """A vision model: no words to transcribe on a photograph, and a description of it."""
    return "" if "Transcribe every word" in json.dumps(request) else "A crane above a wall."


@pytest.fixture
async def with_colivara(settings: Settings, services: Services, peer: Peer) -> AsyncIterator[Services]:
    with respx.mock(assert_all_called=False) as mock, serve(transcribed_or_described) as vision:
        mock.route(host="api.colivara.com").mock(side_effect=peer)
        keys = {"colivara_api_key": SecretStr("cv-key"), "deepseek_api_key": SecretStr("vision-key")}
        async with open_services(settings.model_copy(update={**keys, "ocr_base_url": vision.base_url})) as opened:
            yield opened


async def ingest(services: Services, ada: Caller, matter: dict[str, Any], folder: Path, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    async with open_operator(services) as operator:
        return (await operator.file_ingestor.add(ada, matter["id"], folder / name)).document_id


async def test_documents_are_uploaded_at_ingestion_and_pages_found_by_colivara(
    with_colivara: Services, peer: Peer, ada: Caller, stranger: Caller, matter: dict[str, Any], tmp_path: Path, look: Look
) -> None:
    data = illustrated()
    document = await ingest(with_colivara, ada, matter, tmp_path, "deed.pdf", data)
    [(collection, _)] = peer.documents
    [held] = peer.documents.values()
    assert collection == matter["id"] and base64.b64decode(held["base64"]) == data and held["wait"] is True
    peer.pages = [("", 3, 0.8), ("", 2, 0.9)]
    text = await look("crane")
    assert re.findall(r"^\d+\. (.+)$", text, re.M) == [
        "[deed.pdf, Page 2] (Relevance: 0.90)",
        "[deed.pdf, Page 3] (Relevance: 0.80)",
    ]
    assert "embedded" not in text and f"ID: {document}" in text
    assert (await look("crane", stranger)).startswith("Error: Matter ")


async def test_results_of_colivara_are_filtered_by_the_callers_access(
    with_colivara: Services, peer: Peer, ada: Caller, matter: dict[str, Any], tmp_path: Path, look: Look
) -> None:
    document = await ingest(with_colivara, ada, matter, tmp_path, "deed.pdf", illustrated())
    peer.pages = [("", 1, 0.9)]
    other = {"metadata": {"revision_id": "00000000-0000-4000-8000-000000000000", "document_id": "x"}}
    peer.documents[matter["id"], "planted"] = other
    assert len(re.findall(r"^\d+\. \[", await look("crane"), re.M)) == 1
    await with_colivara.store.rpc(ada, "delete_document", {"document_id": document})
    assert await look("crane") == "No documents found in this matter. Upload documents first."


async def test_a_deleted_document_is_deleted_at_colivara_and_a_failure_is_retried(
    with_colivara: Services, peer: Peer, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    document = await ingest(with_colivara, ada, matter, tmp_path, "deed.pdf", illustrated())
    await with_colivara.store.rpc(ada, "delete_document", {"document_id": document})
    async with open_operator(with_colivara) as operator:
        await operator.worker.rpc("purge_deleted", {})
        peer.status = 500
        assert await operator.ingestor.visuals.purge_copies() == 1
        peer.status = 200
        assert peer.documents and await operator.ingestor.visuals.purge_copies() == 0
    assert peer.documents == {}


@pytest.mark.parametrize(("status", "why"), [(402, "no credits"), (401, "key was rejected"), (500, "status 500")])
async def test_a_failed_upload_to_colivara_is_reported_and_the_text_stays_searchable(
    with_colivara: Services, peer: Peer, ada: Caller, matter: dict[str, Any], tmp_path: Path, look: Look, status: int, why: str
) -> None:
    peer.status = status
    document = await ingest(with_colivara, ada, matter, tmp_path, "deed.pdf", illustrated())
    assert (await with_colivara.store.rpc(ada, "get_document", {"document_id": document}))["status"] == "ready"
    refused = await look("crane")
    assert refused.startswith("Error: ColiVara gave no answer: ") and "cv-key" not in refused
    peer.status = 200
    assert why in await look("crane")


async def test_pages_without_text_are_described_and_the_description_cannot_be_quoted(
    with_colivara: Services,
    peer: Peer,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    look: Look,
) -> None:
    document = pymupdf.open()
    document.new_page().insert_textbox((72, 72, 520, 300), PROSE)
    for _ in range(4):
        document.new_page().draw_circle((200, 300), 80)
    await ingest(with_colivara, ada, matter, tmp_path, "drawn.pdf", document.tobytes())
    document.close()
    peer.pages = [("", n, 1 - n / 10) for n in range(1, 6)]
    text = await look("crane")
    assert text.count("Described by deepseek-ocr (no quotation): A crane above a wall.") == 3
    assert "1. [drawn.pdf, Page 1]" in text and f"Words there: {PROSE[:40]}" in text


async def test_hybrid_search_adds_pages_of_visual_search_without_an_excerpt(
    with_colivara: Services, peer: Peer, ada: Caller, acting: Acting, matter: dict[str, Any], tmp_path: Path
) -> None:
    document = pymupdf.open()
    document.new_page().insert_textbox((72, 72, 520, 770), f"1. DELIVERY\n{PROSE * 5}")
    document.new_page().insert_image(pymupdf.Rect(100, 300, 400, 500), stream=photograph())
    await ingest(with_colivara, ada, matter, tmp_path, "deed.pdf", document.tobytes())
    document.close()
    peer.pages = [("", 1, 0.9), ("", 2, 0.8)]
    search = {"matter_id": matter["id"], "query": "delivery of the goods"}
    text = await tools.isaacus_search.ainvoke(search, acting(ada))
    excerpts, _, seen = text.partition("Pages found by what they show, that none of these excerpts comes from:")
    assert "[deed.pdf, Page 1] (Relevance" in excerpts
    assert re.findall(r"\[deed\.pdf, Page \d\] \(Relevance: [\d.]+\)", seen) == ["[deed.pdf, Page 2] (Relevance: 0.80)"]
    assert "Described by deepseek-ocr (no quotation): A crane above a wall." in seen
    assert "found by what they show" not in await tools.isaacus_search.ainvoke({**search, "mode": "semantic"}, acting(ada))
    peer.status = 500
    failed = await tools.isaacus_search.ainvoke(search, acting(ada))
    assert failed.startswith("Found ") and "Not searched by sight: ColiVara gave no answer: status 500." in failed


async def test_a_page_without_text_is_shown_although_an_excerpt_spans_it(
    with_colivara: Services, peer: Peer, ada: Caller, acting: Acting, matter: dict[str, Any], tmp_path: Path
) -> None:
    document = pymupdf.open()
    document.new_page().insert_textbox((72, 72, 520, 770), "1. DELIVERY\nThe goods are delivered")
    document.new_page().insert_image(pymupdf.Rect(100, 300, 400, 500), stream=photograph())
    document.new_page().insert_textbox((72, 72, 520, 770), "to the buyer within ten days of each order.")
    await ingest(with_colivara, ada, matter, tmp_path, "deed.pdf", document.tobytes())
    document.close()
    peer.pages = [("", 1, 0.9), ("", 2, 0.8), ("", 3, 0.7)]
    search = {"matter_id": matter["id"], "query": "delivery of the goods"}
    text = await tools.isaacus_search.ainvoke(search, acting(ada))
    excerpts, _, seen = text.partition("Pages found by what they show, that none of these excerpts comes from:")
    assert "[deed.pdf, Page 1-3] (Relevance" in excerpts
    assert re.findall(r"\[deed\.pdf, Page \d\]", seen) == ["[deed.pdf, Page 2]"]


async def test_the_visual_search_has_a_time_limit(
    services: Services, ada: Caller, acting: Acting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("visual_search", "view_page"):
        monkeypatch.setitem(LIMITS, name, LIMITS[name]._replace(seconds=0.0001))
    text = await tools.visual_search.ainvoke({"matter_id": "x", "query": "plan"}, acting(ada))
    assert text.startswith("Error: The search by sight took longer than 0.0001 seconds and was stopped.")
    text = await tools.view_page.ainvoke({"document_id": "x"}, acting(ada))
    assert text.startswith("Error: Drawing the page took longer than 0.0001 seconds and was stopped.")


async def test_reprocessing_a_document_replaces_its_visual_index(
    look: Look, operator: Operator, add_file: Add, services: Services, ada: Caller
) -> None:
    document = await add_file("deed.pdf", illustrated())
    await services.store.rpc(ada, "reprocess_document", {"document_id": document})
    await operator.ingestor.process(document)
    assert len(re.findall(r"^\d+\. \[", await look("rack elevation"), re.M)) == 1
