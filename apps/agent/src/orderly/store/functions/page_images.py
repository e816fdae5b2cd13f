"""Page images, rendered on first use and then stored.

SQL: supabase/schemas/07_documents.sql, 10_visuals.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller, PageSource
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given


class OpenedPageLayout(TypedDict):
    number: int
    label: str | None
    source: PageSource
    start: int
    end: int
    width: float | None
    """None, like `height`: the format has no layout."""
    height: float | None
    lines: list[list[float]]
    """Start, end, x0, y0, x1, y1, and 1 for a running head or foot."""


class Excerpt(TypedDict):
    start: int
    text: str


class CharSpan(TypedDict):
    start: int
    end: int


class OpenedPage(TypedDict):
    document_id: str
    document_name: str
    content_type: str
    matter_id: str
    revision_id: str
    current: bool
    file_key: str
    image_key: str
    """Storage key of the image, which may not be rendered yet."""
    paged: bool
    page_count: int
    page: OpenedPageLayout
    text: Excerpt
    """The page's text; without pages, an excerpt around the span."""
    span: CharSpan | None
    """The highlighted span."""
    span_page_first: int | None
    span_page_last: int | None
    quote: str | None
    section_label: str | None
    section_title: str | None


async def open_page(
    store: Store,
    caller: Caller,
    path_part_id: str,
    *,
    page_number: int | None = None,
    highlight: str | None = None,
    dpi: int | None = None,
) -> OpenedPage:
    """Opens a page of a document, or the page where a section, passage or citation begins.

    Args:
        page_number: None: the page where the node begins.
        highlight: Id of a passage or citation to highlight.
        dpi: Resolution of the image.
    """
    return await store.rpc(
        caller, "open_page", {"path_part_id": path_part_id, **given(page_number=page_number, highlight=highlight, dpi=dpi)}
    )


async def expired_page_images(worker: WorkerCalls, *, row_count: int | None = None) -> list[str]:
    """Lists storage keys of images whose retention period has ended."""
    return await worker.rpc("expired_page_images", given(row_count=row_count))


async def drop_page_images(worker: WorkerCalls, keys: list[str]) -> int:
    """Removes the rows of expired images whose files were deleted, and returns their number."""
    return await worker.rpc("drop_page_images", {"keys": keys})


async def orphaned_page_images(worker: WorkerCalls) -> list[str]:
    """Lists storage keys of images of purged documents."""
    return await worker.rpc("orphaned_page_images", {})


async def forget_page_images(worker: WorkerCalls, keys: list[str]) -> int:
    """Removes the rows of images of purged documents, and returns their number."""
    return await worker.rpc("forget_page_images", {"keys": keys})
