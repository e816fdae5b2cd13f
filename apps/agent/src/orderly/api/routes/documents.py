"""Documents: list, rename, move, hold, ingest again, delete."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.etags import IfMatch, conditional_response, etag_of, require_match
from orderly.api.routes.matters import MatterRef
from orderly.models import DocumentStatus
from orderly.services.files import like_pattern
from orderly.store.functions import deletion, documents

router = APIRouter(prefix="/api", tags=["documents"], responses=error_responses(403, 404))

MOST = 1_000
"""Maximum number of documents in one response."""


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
    """The document whose file contains this attachment: an e-mail, a PDF."""


class Listing(BaseModel):
    """Filters and order of a list of documents."""

    filename: str | None = Field(default=None, max_length=500, description="Glob with * and ?, case-insensitive.")
    filename_pattern: str | None = Field(default=None, max_length=500, description="Alias of `filename`.")
    content_type: str | None = Field(default=None, max_length=200, description='Prefix, e.g. "text/".')
    folder_id: str | None = Field(default=None, max_length=100, description='"top": documents outside folders.')
    sort: Literal["uploaded", "-uploaded", "name", "-name", "size", "-size", "type", "-type", "status", "-status"] = Field(
        default="uploaded", description="A minus sign reverses the order."
    )
    limit: int = Field(default=MOST, ge=1, le=MOST)
    offset: int = Field(default=0, ge=0, le=1_000_000_000)


class DocumentChange(Body):
    """Omitted fields stay unchanged."""

    filename: str = Field(default="", min_length=1, max_length=255)
    folder_id: str | None = Field(default=None, max_length=100, description="null: the top of the matter.")

    def given(self) -> documents.DocumentChanges:
        changes: documents.DocumentChanges = {}
        if "filename" in self.model_fields_set:
            changes["filename"] = self.filename
        if "folder_id" in self.model_fields_set:
            changes["folder_id"] = self.folder_id
        return changes


class Gone(BaseModel):
    receipt_id: str
    document_id: str
    filename: str
    deleted_at: datetime


class Receipt(Gone):
    """Receipt for a deleted document."""

    attachments: list[Gone] = Field(default_factory=list, description="Attachments that were deleted with the document.")
    kept: list[dict[str, Any]] = Field(
        default_factory=list, description="Attachments that stay because another document carries them too."
    )


class PastReceipt(BaseModel):
    model_config = ConfigDict(extra="ignore")

    receipt_id: str
    document_id: str
    filename: str
    sha256: str
    size_bytes: int
    deleted_by: str | None
    deleted_at: datetime
    purged_at: datetime | None
    """When the file, the text and the vectors were removed."""


@router.get("/matters/{matter}/documents")
async def list_documents(
    matter: MatterRef,
    request: Request,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    listing: Annotated[Listing, Query()],
) -> list[Document]:
    """List the documents of a matter. `X-Total-Count` is the total number, `Link` the next page."""
    glob, limit, offset = listing.filename or listing.filename_pattern, listing.limit, listing.offset
    found = await documents.page_documents(
        services.store,
        caller,
        matter,
        name_like=like_pattern(glob) if glob else None,
        content_type=listing.content_type,
        folder_id=listing.folder_id,
        sort=cast(documents.SortKey, listing.sort.removeprefix("-")),
        descending=listing.sort.startswith("-"),
        match_count=limit,
        skip=offset,
    )
    response.headers["X-Total-Count"] = str(found["total"])
    if offset + limit < found["total"]:
        query = {**request.query_params, "limit": limit, "offset": offset + limit}
        response.headers["Link"] = f'<{request.url.path}?{urlencode(query)}>; rel="next"'
    return [Document.model_validate(d) for d in found["documents"]]


@router.get("/matters/{matter}/receipts")
async def list_receipts(matter: MatterRef, caller: SignedIn, services: CurrentServices) -> list[PastReceipt]:
    """List the receipts of the documents deleted from a matter, newest first."""
    return [PastReceipt.model_validate(r) for r in await services.library.receipts(caller, matter)]


@router.get("/documents/{document}", response_model=Document)
async def get_document(document: str, request: Request, response: Response, caller: SignedIn, services: CurrentServices) -> Any:
    """Get a document, with an ETag for If-None-Match here and If-Match on changes."""
    return conditional_response(request, response, await _document(services, caller, document))


@router.patch("/documents/{document}", responses=error_responses(409, 412))
async def edit_document(
    document: str,
    body: DocumentChange,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    if_match: IfMatch = None,
) -> Document:
    """Rename a document or move it to another folder of its matter. With If-Match: only if the ETag still matches."""
    seen: documents.DocumentChanges | None = None
    if if_match is not None:
        before = await _document(services, caller, document)
        require_match(if_match, before)
        seen = {"filename": before.filename, "folder_id": before.folder_id}
    changed = Document.model_validate(await documents.edit_document(services.store, caller, document, body.given(), seen=seen))
    response.headers["ETag"] = etag_of(changed)
    return changed


@router.delete("/documents/{document}", responses=error_responses(409))
async def delete_document(document: str, caller: SignedIn, services: CurrentServices) -> Receipt:
    """Delete a document and its attachments. They are hidden immediately; the worker purges files, text and vectors."""
    return Receipt.model_validate(await deletion.delete_document(services.store, caller, document))


@router.post("/documents/{document}/reingest", status_code=202, responses=error_responses(409))
async def reingest(document: str, caller: SignedIn, services: CurrentServices) -> Document:
    """Read the newest file again. The current revision serves until then, and stays if reading fails."""
    return Document.model_validate(await documents.reprocess_document(services.store, caller, document))


@router.post("/documents/{document}/hold")
async def hold(document: str, caller: SignedIn, services: CurrentServices) -> Document:
    """Set a legal hold: the document and its carrier cannot be deleted."""
    return await _hold(services, caller, document, on=True)


@router.delete("/documents/{document}/hold")
async def lift_hold(document: str, caller: SignedIn, services: CurrentServices) -> Document:
    """Lift the document's own hold; a hold on its carrier stays."""
    return await _hold(services, caller, document, on=False)


async def _hold(services: CurrentServices, caller: SignedIn, document: str, *, on: bool) -> Document:
    return Document.model_validate(await deletion.hold_document(services.store, caller, document, held=on))


async def _document(services: CurrentServices, caller: SignedIn, document: str) -> Document:
    return Document.model_validate(await documents.get_document(services.store, caller, document))
