"""Page images with highlighted quotations. An image is rendered once and then stored beside the document's file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from orderly.errors import Conflict, Damaged, Invalid, StorageFailed, Unreadable
from orderly.models import Box, Caller
from orderly.services.document_processor import DocumentProcessor, Excerpt
from orderly.services.documents.ids import find_node, normalise_id, require_readable, wrong_kind_error
from orderly.services.files import temporary_folder
from orderly.services.text import LineMark, citation_label, line_marks, mark_rectangles
from orderly.store.base import Blobs, CallersBlobs, Store, WorkerStore
from orderly.store.functions.page_images import OpenedPage, forget_page_images, open_page, orphaned_page_images

PAGE_DPI = 110
"""Dots per inch of an image."""


class FileLink(Protocol):
    """Creates a download link for one user, whose access is checked again at each request."""

    def __call__(self, caller: Caller, document_id: str, storage_key: str) -> str: ...


@dataclass(frozen=True, slots=True)
class PageImage:
    png: bytes
    document_id: str
    document_name: str
    revision_id: str
    current: bool
    """False for an earlier version of the document, the one that was cited."""
    page: int | None
    """None if the document has no pages; the image then shows an excerpt of its text."""
    page_count: int
    from_text: bool
    """The file's page could not be rendered, so the image shows the page's text."""
    section: str
    quote: str
    """The highlighted words, which can begin or end on another page."""
    rectangles: tuple[Box, ...]
    """Highlights on this page, in points from the top left corner; none in an excerpt."""
    marked_pages: tuple[int, int] | None
    """First and last page of the highlighted words."""
    link: str | None

    def record(self) -> dict[str, Any]:
        """Identifies the document that was seen, for the verification of quotations."""
        return {"document_id": self.document_id, "document_name": self.document_name, "revision_id": self.revision_id}


@dataclass(frozen=True, slots=True)
class PageImages:
    store: Store
    blobs: CallersBlobs
    processor: DocumentProcessor
    link: FileLink | None = None
    dpi: int = PAGE_DPI

    async def view(self, caller: Caller, id: str, page_number: int | None = None, highlight: str | None = None) -> PageImage:
        """Renders a page of a document, or the page where a section, passage or citation begins, with highlights.

        Raises:
            NotFound, NotReady: the item is missing, not accessible, or not read yet.
            Invalid: the page does not exist, or cannot be rendered.
            StorageFailed: the file cannot be fetched.
        """
        if page_number is not None and not 1 <= page_number < 1_000_000:
            raise Invalid("Pages are numbered from 1.")
        node = await find_node(self.store, caller, id)
        if node.document is None:
            raise wrong_kind_error(node, "a document, section, passage or citation")
        require_readable(node.document)
        row = await open_page(
            self.store,
            caller,
            node.id,
            page_number=page_number,
            highlight=highlight and normalise_id(highlight, "citation"),
            dpi=self.dpi,
        )
        marks = list(_marks(row)) if row["paged"] else []
        png = await self._load_image(caller, row["image_key"]) or await self._render_and_store(caller, row, marks)
        return PageImage(
            png=png,
            document_id=row["document_id"],
            document_name=row["document_name"],
            revision_id=row["revision_id"],
            current=row["current"],
            page=row["page"]["number"] if row["paged"] else None,
            page_count=row["page_count"],
            # Readers report a page width only for formats with a fixed page layout.
            from_text=row["paged"] and row["page"]["width"] is None,
            section=citation_label(row["section_label"], row["section_title"]),
            quote=row["quote"] or "",
            rectangles=tuple(mark_rectangles(marks)),
            marked_pages=_marked_pages(row),
            link=self.link(caller, row["document_id"], row["image_key"]) if self.link else None,
        )

    async def draw(self, caller: Caller, citation_ids: Sequence[str]) -> bytes:
        """Draws the page where the first citation begins, with the words of all of them highlighted; it is not stored.

        Raises: as `view`.
        """
        rows = [await open_page(self.store, caller, citation_id, dpi=self.dpi) for citation_id in citation_ids]
        async with temporary_folder() as folder:
            return await self._draw(caller, rows[0], [mark for row in rows for mark in _marks(row)], folder)

    async def _load_image(self, caller: Caller, key: str) -> bytes | None:
        """Returns None if the image is not stored. A failing storage is reported when the document's file is fetched."""
        async with temporary_folder() as folder:
            path = folder / "page.png"
            try:
                await self.blobs.of(caller).get(key, path)
            except StorageFailed:
                return None
            return await asyncio.to_thread(path.read_bytes)

    async def _render_and_store(self, caller: Caller, row: OpenedPage, marks: list[LineMark]) -> bytes:
        async with temporary_folder() as folder:
            png = await self._draw(caller, row, marks, folder)
            image = folder / "page.png"
            await asyncio.to_thread(image.write_bytes, png)
            with suppress(Conflict):  # a concurrent request stored the same page
                await self.blobs.of(caller).put(row["image_key"], image)
        return png

    async def _draw(self, caller: Caller, row: OpenedPage, marks: list[LineMark], folder: Path) -> bytes:
        try:
            return await self._render(caller, row, marks, folder)
        except Unreadable as error:
            where = f"Page {row['page']['number']} of {row['document_name']}"
            raise Invalid(f"{where} could not be drawn. {error.message}") from error

    async def _render(self, caller: Caller, row: OpenedPage, marks: list[LineMark], folder: Path) -> bytes:
        page = row["page"]
        if page["width"] is None:
            if not row["text"]["text"].strip():
                raise Damaged("The file is damaged there.")
            return await asyncio.to_thread(_render_excerpt, row, self.dpi)
        file = folder / "file"
        await self.blobs.of(caller).get(row["file_key"], file)
        return await self.processor.draw_page(file, page["number"], page["width"], marks, self.dpi)


def _marked_pages(row: OpenedPage) -> tuple[int, int] | None:
    first, last = row["span_page_first"], row["span_page_last"]
    return (first, last) if row["span"] and row["paged"] and first is not None and last is not None else None


def _marks(row: OpenedPage) -> list[LineMark]:
    if row["span"] is None:
        return []
    span, text = row["span"], row["text"]
    return list(line_marks(row["page"]["lines"], text["text"], text["start"], span["start"], span["end"]))


def _render_excerpt(row: OpenedPage, dpi: int) -> bytes:
    # MuPDF takes 0.2 s to import, so it is loaded on first use.
    from orderly.services.document_processor.page_drawing import draw_excerpt  # noqa: PLC0415

    return draw_excerpt(_excerpt(row), dpi)


def _excerpt(row: OpenedPage) -> Excerpt:
    text, span = row["text"], row["span"]
    length = len(text["text"])
    marked = None
    if span is not None:
        first, last = max(span["start"] - text["start"], 0), min(span["end"] - text["start"], length)
        marked = (first, last) if first < last else None
    where = citation_label(row["section_label"], row["section_title"]) if not row["paged"] else f"Page {row['page']['number']}"
    return Excerpt(", ".join(filter(None, (row["document_name"], where))), text["text"], marked).around_mark()


async def purge_page_images(worker: WorkerStore, blobs: Blobs) -> int:
    """Deletes the images of purged documents and returns their number. Idempotent."""
    keys: list[str] = await orphaned_page_images(worker)
    for key in keys:
        await blobs.delete(key)
    await forget_page_images(worker, keys)
    return len(keys)
