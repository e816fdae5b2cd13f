"""Page images: highlights, file formats and access."""

from __future__ import annotations

import base64
import io
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pymupdf
import pytest
from langchain_core.messages import HumanMessage
from PIL import Image
from pydantic import SecretStr

from orderly.agent import tools
from orderly.agent.middleware.run_context import RunContext
from orderly.errors import StorageFailed
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.services.documents.page_images import purge_page_images
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services
from support.lease import LEASE
from support.revisions import publish, revision_of
from support.scripted_model import serve, texts, tool_names

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]

PARAGRAPH = (
    "The Lessee shall pay rent of nine hundred dollars a month in advance and without any deduction to the account that the "
    "Lessor names in writing from time to time, and shall pay interest on every late payment. "
)


def pdf(*pages: str, rotation: int = 0) -> bytes:
    document = pymupdf.open()
    for text in pages:
        page = document.new_page()
        page.insert_textbox((72, 72, 520, 770), text, fontsize=11)
        page.set_rotation(rotation)
    data: bytes = document.tobytes()
    document.close()
    return data


def scan(text: str, *, upside_down: bool = False) -> bytes:
    """Returns a PDF whose page is an image of the text."""
    with pymupdf.open("pdf", pdf(text)) as source:
        drawn = source[0].get_pixmap(dpi=200)
    document = pymupdf.open()
    page = document.new_page()
    page.insert_image(page.rect, pixmap=drawn, rotate=180 if upside_down else 0)
    data: bytes = document.tobytes()
    document.close()
    return data


@pytest.fixture
def cite(services: Services, ada: Caller) -> Callable[..., Awaitable[str]]:
    async def save(document: str, words: str) -> str:
        view = await services.store.rpc(ada, "get_revision", {"document_id": document})
        start = view["text"].index(words)
        span = {"revision_id": view["document"]["revision"]["id"], "start": start, "end": start + len(words)}
        return str((await services.store.rpc(ada, "save_citation", {"document_id": document, **span}))["id"])

    return save


Cite = Callable[..., Awaitable[str]]


def yellow(png: bytes) -> Any:
    """Returns a boolean array (rows, columns): True for highlighted pixels."""
    rgb = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    return (rgb[..., 0] - rgb[..., 2]) > 60


def extent(marked: Any) -> tuple[float, float, float, float]:
    """Returns left, top, right and bottom of the highlight as shares of the image."""
    rows, columns = np.flatnonzero(marked.any(axis=1)), np.flatnonzero(marked.any(axis=0))
    height, width = marked.shape
    return columns[0] / width, rows[0] / height, columns[-1] / width, rows[-1] / height


def position_of(data: bytes, words: str) -> tuple[float, float, float, float]:
    """Returns the position of the words in the displayed PDF page, as shares of the page."""
    with pymupdf.open("pdf", data) as document:
        page = document[0]
        area = pymupdf.Rect()
        for box in page.search_for(words):
            area |= (pymupdf.Rect(box) * page.rotation_matrix).normalize()
        return area.x0 / page.rect.width, area.y0 / page.rect.height, area.x1 / page.rect.width, area.y1 / page.rect.height


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
async def test_only_the_cited_words_are_highlighted(
    services: Services, ada: Caller, add_file: Add, cite: Cite, rotation: int
) -> None:
    data = pdf(f"1. RENT\n{PARAGRAPH * 3}", rotation=rotation)
    document = await add_file("lease.pdf", data)
    view = await services.store.rpc(ada, "get_revision", {"document_id": document})
    words = next(w for w in ("late payment. The Lessee", "without any deduction", "pay interest on") if w in view["text"])
    image = await services.pages.view(ada, await cite(document, words))
    assert image.page == 1 and image.rectangles
    with pymupdf.open("pdf", data) as opened:
        page = opened[0]
        first = (pymupdf.Rect(page.search_for(words)[0]) * page.rotation_matrix).normalize()
        expected = (
            first.x0 / page.rect.width,
            first.y0 / page.rect.height,
            first.x1 / page.rect.width,
            first.y1 / page.rect.height,
        )
    assert extent(yellow(image.png)) == pytest.approx(expected, abs=0.012)


async def test_a_quotation_of_several_lines_is_highlighted_line_by_line(
    services: Services, ada: Caller, add_file: Add, cite: Cite
) -> None:
    document = await add_file("lease.pdf", pdf(f"1. RENT\n{PARAGRAPH * 2}"))
    view = await services.store.rpc(ada, "get_revision", {"document_id": document})
    start = view["text"].index("nine hundred")
    words = view["text"][start : view["text"].index("deduction") + 9]
    assert "\n" in words
    image = await services.pages.view(ada, await cite(document, words))
    assert len(image.rectangles) == words.count("\n") + 1
    assert image.rectangles[0][0] > 72 and image.rectangles[1][0] == pytest.approx(72, abs=2)
    marked = yellow(image.png)
    scale = marked.shape[1] / 595  # pixels per point of the page's width
    x0, y0, _, y1 = image.rectangles[0]
    row = marked[round((y0 + y1) / 2 * scale)]
    assert row.any() and not row[: round((x0 - 10) * scale)].any(), "words before the quotation must not be marked"


@pytest.mark.parametrize("upside_down", [False, True])
async def test_words_of_a_scan_are_highlighted_at_their_position(
    services: Services, ada: Caller, add_file: Add, cite: Cite, upside_down: bool
) -> None:
    text = f"1. RENT\n{PARAGRAPH}"
    document = await add_file("scan.pdf", scan(text, upside_down=upside_down))
    words = "nine hundred dollars"
    image = await services.pages.view(ada, await cite(document, words))
    left, top, right, bottom = position_of(pdf(text), words)
    expected = (1 - right, 1 - bottom, 1 - left, 1 - top) if upside_down else (left, top, right, bottom)
    assert extent(yellow(image.png)) == pytest.approx(expected, abs=0.02)


async def test_an_image_file_is_shown_unchanged(services: Services, ada: Caller, add_file: Add, cite: Cite) -> None:
    with pymupdf.open("pdf", pdf(f"1. RENT\n{PARAGRAPH}")) as source:
        png = source[0].get_pixmap(dpi=200).tobytes("png")
    document = await add_file("scan.png", png)
    image = await services.pages.view(ada, await cite(document, "nine hundred dollars"))
    left, top, right, bottom = position_of(pdf(f"1. RENT\n{PARAGRAPH}"), "nine hundred dollars")
    assert extent(yellow(image.png)) == pytest.approx((left, top, right, bottom), abs=0.02)


@pytest.mark.parametrize("name", ["lease.txt", "lease.md"])
async def test_a_format_without_pages_shows_its_section_as_an_image(
    services: Services, ada: Caller, acting: Acting, add_file: Add, cite: Cite, name: str
) -> None:
    document = await add_file(name, LEASE)
    citation = await cite(document, "ninety (90) days")
    image = await services.pages.view(ada, citation)
    assert image.page is None and image.section == "Section 3.1"
    assert 0 < yellow(image.png).mean() < 0.1
    [text, picture] = await tools.view_page.ainvoke({"document_id": citation}, acting(ada))
    assert text["text"].startswith(f"Excerpt of {name}, ") and 'Marked: "ninety (90) days"' in text["text"]
    assert base64.b64decode(picture["base64"]) == image.png and picture["mime_type"] == "image/png"
    beginning = await services.pages.view(ada, document)
    assert (beginning.section, beginning.quote) == ("", "") and not yellow(beginning.png).any()


async def test_pages_are_chosen_by_number_passage_section_and_citation(
    services: Services, ada: Caller, acting: Acting, add_file: Add, cite: Cite
) -> None:
    pages = [
        f"{n}. {title}\n" + f"The parties agree on matter number {n} and on nothing else in it. " * 20
        for n, title in enumerate(("DELIVERY", "PAYMENT", "GOVERNING LAW"), 1)
    ]
    document = await add_file("three.pdf", pdf(*pages))
    citation = await cite(document, "matter number 3")
    sections = (await services.store.rpc(ada, "get_revision", {"document_id": document}))["sections"]
    chunks = (await services.store.rpc(ada, "read_chunks", {"path_part_id": document}))["chunks"]

    async def said(**arguments: Any) -> str:
        found = await tools.view_page.ainvoke(arguments, acting(ada))
        return found if isinstance(found, str) else str(found[0]["text"])

    assert (await said(document_id=document)).startswith("Page 1 of 3 of three.pdf")
    assert (await said(document_id=document, page_number=2)).startswith("Page 2 of 3 of three.pdf")
    assert sections
    for section in sections:
        assert (await said(document_id=section["id"])).startswith(f"Page {section['page_first']} of 3 of three.pdf")
    assert (await said(document_id=chunks[-1]["chunk_id"])).startswith("Page 3 of 3 of three.pdf")
    assert (await said(document_id=citation)).startswith("Page 3 of 3 of three.pdf")
    assert 'Marked: "matter number 3"' in await said(document_id=document, page_number=3, highlight=citation)
    assert "Nothing is marked here: those words stand on page 3." in await said(
        document_id=document, page_number=1, highlight=citation
    )
    assert await said(document_id=document, page_number=9) == "Error: three.pdf has pages 1 to 3."
    assert await said(document_id=document, page_number=0) == "Error: Pages are numbered from 1."
    other = await add_file("other.txt", LEASE)
    stray = await cite(other, "ninety")
    assert await said(document_id=document, highlight=stray) == f"Error: Citation {stray} not found or you don't have access."
    matter = (await services.library.matters(ada))[0]["id"]
    assert "is a matter (" in await said(document_id=matter)


async def test_non_members_see_no_page(services: Services, stranger: Caller, acting: Acting, add_file: Add, cite: Cite) -> None:
    document = await add_file("lease.pdf", pdf(PARAGRAPH))
    for id in (document, await cite(document, "nine hundred"), "nonsense"):
        assert (
            await tools.view_page.ainvoke({"document_id": id}, acting(stranger))
            == f"Error: Item {id} not found or you don't have access."
        )


async def test_a_page_is_drawn_once_and_deleted_with_its_document(
    services: Services, operator: Operator, ada: Caller, add_file: Add, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    document = await add_file("lease.pdf", pdf(PARAGRAPH))
    first = await services.pages.view(ada, document)

    def never(*_: Any) -> bytes:
        raise AssertionError("drawn again")

    monkeypatch.setattr("orderly.services.document_processor.DocumentProcessor.draw_page", never)
    assert (await services.pages.view(ada, document)).png == first.png
    kept = list((settings.home / "files").rglob("page-*.png"))
    assert len(kept) == 1
    await services.store.rpc(ada, "delete_document", {"document_id": document})
    for key in await operator.worker.rpc("purge_deleted", {}):
        await services.blobs.delete(key)
    assert await purge_page_images(operator.worker, services.blobs) == 1
    assert not kept[0].exists()
    assert await purge_page_images(operator.worker, services.blobs) == 0


async def test_a_citation_of_an_earlier_version_shows_that_version(
    services: Services, operator: Operator, ada: Caller, add_file: Add, cite: Cite, acting: Acting
) -> None:
    document = await add_file("lease.txt", LEASE)
    citation = await cite(document, "five (5) years")
    await services.store.rpc(ada, "reprocess_document", {"document_id": document})
    await publish(operator.worker, revision_of(document, LEASE.replace("five (5) years", "six (6) years")))
    [text, _] = await tools.view_page.ainvoke({"document_id": citation}, acting(ada))
    assert 'Marked: "five (5) years"' in text["text"] and "Version: an earlier one" in text["text"]


async def test_a_missing_file_is_reported(
    services: Services, ada: Caller, acting: Acting, add_file: Add, settings: Settings
) -> None:
    document = await add_file("lease.pdf", pdf(PARAGRAPH))
    for file in (settings.home / "files").rglob("*.pdf"):
        file.unlink()
    with pytest.raises(StorageFailed):
        await services.pages.view(ada, document)
    text = await tools.view_page.ainvoke({"document_id": document}, acting(ada))
    assert text == "Error: Could not download document from storage."


@pytest.mark.parametrize("sees", [True, False])
async def test_a_vision_model_gets_the_page_image_and_the_state_keeps_only_text(
    settings: Settings, services: Services, ada: Caller, acting: Acting, add_file: Add, sees: bool
) -> None:
    document = await add_file("lease.pdf", pdf(PARAGRAPH))

    def script(request: dict[str, Any]) -> Any:
        if "task" in tool_names(request):
            return "Done." if texts(request, "tool") else [("task", {"description": "Look", "subagent_type": "document-agent"})]
        return "Looked." if texts(request, "tool") else [("view_page", {"document_id": document})]

    with serve(script) as model:
        chosen = settings.model_copy(
            update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url, "model_sees": sees}
        )
        state = await build_graph(chosen).ainvoke({"messages": [HumanMessage("Look")]}, acting(ada), context=RunContext())
    [after] = [
        r for r in model.requests if any(m["role"] == "tool" and "Page 1 of 1" in str(m["content"]) for m in r["messages"])
    ]
    pictures = [
        part
        for m in after["messages"]
        if isinstance(m["content"], list)
        for part in m["content"]
        if part["type"] == "image_url"
    ]
    assert len(pictures) == (1 if sees else 0)
    assert "base64" not in str([m["content"] for m in after["messages"] if m["role"] == "tool"])
    assert all(isinstance(m.content, str) for m in state["messages"])
    if sees:
        png = base64.b64decode(pictures[0]["image_url"]["url"].partition(",")[2])
        assert png == (await services.pages.view(ada, document)).png


async def test_a_picture_that_cannot_be_loaded_again_is_said_with_its_reason(
    settings: Settings, services: Services, ada: Caller, acting: Acting, add_file: Add
) -> None:
    document = await add_file("lease.pdf", pdf(PARAGRAPH))

    def script(request: dict[str, Any]) -> Any:
        if "task" in tool_names(request):
            return "Done." if texts(request, "tool") else [("task", {"description": "Look", "subagent_type": "document-agent"})]
        if not texts(request, "tool"):
            return [("view_page", {"document_id": document})]
        for file in (settings.home / "files").rglob("*.*"):
            file.unlink()
        return "Looked." if len(texts(request, "tool")) > 1 else [("view_page", {"document_id": document, "page_number": 9})]

    with serve(script) as model:
        chosen = settings.model_copy(
            update={"openai_api_key": SecretStr("test"), "openai_base_url": model.base_url, "model_sees": True}
        )
        await build_graph(chosen).ainvoke({"messages": [HumanMessage("Look")]}, acting(ada), context=RunContext())
    [after] = [r for r in model.requests if len(texts(r, "tool")) > 1]
    said = [
        part["text"]
        for m in after["messages"]
        if m["role"] == "user" and isinstance(m["content"], list)
        for part in m["content"]
    ]
    [title, reason] = said[0].splitlines()
    assert title.startswith("This picture of view_page cannot be shown again: Page 1 of 1 of lease.pdf")
    assert reason == "The stored file is missing."
