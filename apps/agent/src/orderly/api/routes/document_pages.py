"""Content of a document: text, pages, page images, sections, versions and the health report."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from orderly.api.callers import CurrentServices, SignedIn, take_turn
from orderly.api.errors import error_responses
from orderly.api.etags import REVALIDATE, conditional_response, matches
from orderly.errors import Invalid
from orderly.services.text import span_rectangles
from orderly.store.functions.citations import citation_lines, get_citation
from orderly.store.functions.documents import get_document
from orderly.store.functions.revisions import document_contents, document_page, document_span

router = APIRouter(prefix="/api/documents/{document}", tags=["reading"], responses=error_responses(404, 425))

PageNumber = Annotated[int, Path(ge=1, le=1_000_000, description="Physical number, from 1.")]


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")


class TextWanted(BaseModel):
    """A range of pages, or a span of offsets."""

    first_page: int | None = Field(default=None, ge=1, le=1_000_000)
    last_page: int | None = Field(default=None, ge=1, le=1_000_000)
    start: int | None = Field(default=None, ge=0, le=2**31 - 1, description="With `end`: a span of the text instead of pages.")
    end: int | None = Field(default=None, ge=0, le=2**31 - 1)


class PagePart(BaseModel):
    number: int
    text: str
    flags: list[str]


class Text(BaseModel):
    """The text by page, or the requested span in `text`."""

    document_id: str
    filename: str | None = None
    paged: bool | None = None
    total: int | None = None
    pages: list[PagePart] = []
    complete: bool = True
    """False if the text does not fit into one response: continue with `first_page`."""
    character_count: int
    notes: list[str] = []
    revision_id: str | None
    start: int | None = None
    end: int | None = None
    text: str | None = None


class Page(_Row):
    """One page of a revision. `start`, `end`: code points of the revision's text, half-open."""

    document_id: str
    revision_id: str
    number: int
    label: str | None
    """Page label of the file."""
    source: str
    confidence: float | None
    flags: list[str]
    width: float | None
    """Points; null for formats without page layout."""
    height: float | None
    start: int
    end: int
    text: str
    paged: bool
    page_count: int
    ocr_engine: str | None
    lines: list[Annotated[list[int | float], Field(min_length=6, max_length=6)]]
    """Lines of the text: start, end, then x0, y0, x1, y1 in points from the top left corner."""


class Rectangle(BaseModel):
    page: int
    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 in points from the top left corner of the page."""


class Section(_Row):
    id: str
    ordinal: int
    parent: int | None
    level: int
    label: str | None
    title: str | None
    start: int
    end: int
    page_first: int
    page_last: int


class Revision(_Row):
    id: str
    ordinal: int
    published_at: datetime
    current: bool


class Version(_Row):
    """One file of the document."""

    filename: str
    content_type: str
    size_bytes: int | None
    sha256: str
    received_at: datetime
    received_by: str | None
    unread_reason: str | None
    revisions: list[Revision]


class PageHealth(_Row):
    number: int
    label: str | None
    source: str
    confidence: float | None
    ocr_engine: str | None
    flags: list[str]
    characters: int


class Health(_Row):
    """Health report. `pages`: the pages read by OCR, and the pages with flags."""

    status: str
    status_reason: str
    health: dict[str, Any] | None
    pages: list[PageHealth]
    attachments: list[dict[str, Any]]
    changes: list[dict[str, Any]]


@router.get("/text", response_model=Text)
async def get_text(
    document: str,
    request: Request,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    wanted: Annotated[TextWanted, Query()],
) -> Any:
    """Get the stored text."""
    if (wanted.start is None) != (wanted.end is None):
        raise Invalid("A span has a start and an end.")
    if wanted.start is not None and wanted.end is not None:
        span = await document_span(services.store, caller, document, start_char=wanted.start, end_char=wanted.end)
        return conditional_response(request, response, Text(character_count=span["char_count"], **span))
    read = await services.library.text(caller, document, wanted.first_page, wanted.last_page)
    text = Text(
        document_id=read.document_id,
        filename=read.name,
        paged=read.paged,
        total=read.total,
        pages=[PagePart(number=p.number, text=p.text, flags=list(p.flags)) for p in read.parts],
        complete=read.complete,
        character_count=read.character_count,
        notes=list(read.notes),
        revision_id=read.revision_id,
    )
    return conditional_response(request, response, text)


@router.get("/pages/{number}", response_model=Page)
async def get_page(
    document: str,
    number: PageNumber,
    request: Request,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    revision_id: Annotated[
        str | None, Query(max_length=100, description="An earlier revision, instead of the current one.")
    ] = None,
) -> Any:
    """Get the text of a page with the place of its lines."""
    page = await document_page(services.store, caller, document, number, revision_id=revision_id)
    # Lines of large letters carry a mark behind their box.
    lines = [line[:6] for line in page["lines"]]
    return conditional_response(request, response, Page.model_validate({**page, "lines": lines}))


@router.get(
    "/pages/{number}/image",
    dependencies=[Depends(take_turn)],
    response_class=Response,
    responses={
        200: {"content": {"image/png": {"schema": {"type": "string", "contentMediaType": "image/png"}}}},
        **error_responses(502),
    },
)
async def get_page_image(
    document: str,
    number: PageNumber,
    request: Request,
    caller: SignedIn,
    services: CurrentServices,
    citation: Annotated[str | None, Query(max_length=100, description="Id of a citation, passage or section to mark.")] = None,
    dpi: Annotated[int | None, Query(ge=50, le=300)] = None,
) -> Response:
    """Get an image of the page. With a citation: of the cited revision, with the quotation highlighted."""
    pages = services.pages if dpi is None else replace(services.pages, dpi=dpi)
    image = await pages.view(caller, document, number, citation)
    etag = f'"{image.revision_id}-{number}-{pages.dpi}-{citation or ""}"'
    headers = {"ETag": etag, "Cache-Control": REVALIDATE, "X-Content-Type-Options": "nosniff"}
    if matches(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    return Response(image.png, media_type="image/png", headers=headers)


@router.get("/pages/{number}/rectangles")
async def get_rectangles(
    document: str,
    number: PageNumber,
    caller: SignedIn,
    services: CurrentServices,
    citation: Annotated[str, Query(max_length=100, description="Id of a stored citation of this document.")],
) -> list[Rectangle]:
    """Rectangles of a citation on the page; empty for formats without pages and for other pages of the document."""
    stored = await get_citation(services.store, caller, citation)
    owner = await get_document(services.store, caller, document)
    if stored["document_id"] != owner["id"]:
        raise Invalid("This citation is of another document.")
    if not stored["paged"]:
        return []
    lines = await citation_lines(services.store, caller, citation)
    boxes = [box for p in lines if p["number"] == number for box in span_rectangles(p["lines"], stored["start"], stored["end"])]
    return [Rectangle(page=number, box=box) for box in boxes]


@router.get("/sections")
async def list_sections(document: str, caller: SignedIn, services: CurrentServices) -> list[Section]:
    """List the sections of the current revision in text order; `parent` is an ordinal."""
    contents = await document_contents(services.store, caller, document)
    return [Section.model_validate(s) for s in contents["sections"]]


@router.get("/revisions")
async def list_revisions(document: str, caller: SignedIn, services: CurrentServices) -> list[Version]:
    """List the versions of the document, newest first, with their revisions."""
    report = await services.library.health(caller, document)
    return [Version.model_validate(v) for v in report["versions"]]


@router.get("/health")
async def get_health(document: str, caller: SignedIn, services: CurrentServices) -> Health:
    """Get the health report: OCR, hidden text, tracked changes, attachments, unreadable parts."""
    report = await services.library.health(caller, document)
    found = report["document"]
    return Health.model_validate({**report, "status": found["status"], "status_reason": found["status_reason"]})
