"""Documents: listing, their text and their removal."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from orderly.api.errors import answers
from orderly.api.routes.matters import MatterRef
from orderly.api.signed_in import Held, SignedIn
from orderly.models import DocumentStatus

router = APIRouter(prefix="/api", tags=["documents"], responses=answers(403, 404))


class Carrier(BaseModel):
    id: str
    filename: str


class Document(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    filename: str
    content_type: str
    size_bytes: int
    status: DocumentStatus
    status_reason: str
    created_at: datetime
    folder_id: str | None
    stage: str | None
    stage_done: int | None
    stage_total: int | None
    legal_hold: bool
    has_revision: bool
    page_count: int | None
    paged: bool | None
    char_count: int | None
    chunk_count: int | None
    attached_to: Carrier | None = None
    """The document in whose file it came: an e-mail, a PDF."""


class Page(BaseModel):
    number: int
    text: str
    flags: list[str]


class Text(BaseModel):
    document_id: str
    filename: str
    paged: bool
    total: int
    pages: list[Page]
    complete: bool
    """False where the text is longer than one answer holds: ask on with `first_page`."""
    character_count: int
    notes: list[str]
    revision_id: str | None


class Receipt(BaseModel):
    receipt_id: str
    document_id: str
    filename: str
    deleted_at: datetime


@router.get("/matters/{matter}/documents")
async def list_documents(
    matter: MatterRef,
    caller: SignedIn,
    held: Held,
    filename_pattern: Annotated[str | None, Query(max_length=500, description="Glob, without regard to case.")] = None,
    content_type: Annotated[str | None, Query(max_length=200, description='Prefix, e.g. "text/".')] = None,
) -> list[Document]:
    """The documents of a matter, in upload order."""
    listing = await held.library.documents(caller, matter, filename_pattern, content_type)
    return [Document.model_validate(d) for d in listing.documents]


@router.get("/documents/{document}")
async def get_document(document: str, caller: SignedIn, held: Held) -> Document:
    return Document.model_validate(await held.store.rpc(caller, "get_document", {"document_id": document}))


@router.get("/documents/{document}/text", responses=answers(425))
async def get_text(
    document: str,
    caller: SignedIn,
    held: Held,
    first_page: Annotated[int | None, Query(ge=1)] = None,
    last_page: Annotated[int | None, Query(ge=1)] = None,
) -> Text:
    """The text as stored, page by page."""
    read: Any = await held.library.text(caller, document, first_page, last_page)
    return Text(
        document_id=read.document_id,
        filename=read.name,
        paged=read.paged,
        total=read.total,
        pages=[Page(number=p.number, text=p.text, flags=list(p.flags)) for p in read.parts],
        complete=read.complete,
        character_count=read.character_count,
        notes=list(read.notes),
        revision_id=read.revision_id,
    )


@router.delete("/documents/{document}")
async def delete_document(document: str, caller: SignedIn, held: Held) -> Receipt:
    """Hidden at once; its file, text and vectors are purged by the worker."""
    return Receipt.model_validate(await held.store.rpc(caller, "delete_document", {"document_id": document}))
