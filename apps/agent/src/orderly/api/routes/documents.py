"""Documents: listing, renaming, moving, holding, reading again, removal."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.etags import IfMatch, answer, etag_of, only_if
from orderly.api.routes.matters import MatterRef
from orderly.models import DocumentStatus
from orderly.services.files import like_pattern
from orderly.store.functions import deletion, documents

router = APIRouter(prefix="/api", tags=["documents"], responses=answers(403, 404))

MOST = 1_000
"""Documents in one answer."""


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


class Listing(BaseModel):
    """Which documents of a matter, in which order."""

    filename: str | None = Field(default=None, max_length=500, description="Glob of * and ?, without regard to case.")
    filename_pattern: str | None = Field(default=None, max_length=500, description="The same, by its older name.")
    content_type: str | None = Field(default=None, max_length=200, description='Prefix, e.g. "text/".')
    folder_id: str | None = Field(default=None, max_length=100, description='"top": what lies in no folder.')
    sort: Literal["uploaded", "-uploaded", "name", "-name", "size", "-size", "type", "-type", "status", "-status"] = Field(
        default="uploaded", description="With a minus in front: the other way round."
    )
    limit: int = Field(default=MOST, ge=1, le=MOST)
    offset: int = Field(default=0, ge=0, le=1_000_000_000)


class DocumentChange(BaseModel):
    """What is left out stays as it is."""

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
    """What is left of a deleted document."""

    attachments: list[Gone] = Field(default_factory=list, description="What was attached to it and went with it.")
    kept: list[dict[str, Any]] = Field(
        default_factory=list, description="What was attached to it and stays, because it is attached to something else as well."
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
    """When file, text and vectors were gone for good."""


@router.get("/matters/{matter}/documents")
async def list_documents(
    matter: MatterRef,
    request: Request,
    response: Response,
    caller: SignedIn,
    held: Held,
    listing: Annotated[Listing, Query()],
) -> list[Document]:
    """The documents of a matter. `X-Total-Count` says how many there are, `Link` where the next ones are."""
    glob, limit, offset = listing.filename or listing.filename_pattern, listing.limit, listing.offset
    found = await documents.page_documents(
        held.store,
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
async def list_receipts(matter: MatterRef, caller: SignedIn, held: Held) -> list[PastReceipt]:
    """What was deleted from a matter, newest first."""
    return [PastReceipt.model_validate(r) for r in await held.library.receipts(caller, matter)]


@router.get("/documents/{document}", response_model=Document)
async def get_document(document: str, request: Request, response: Response, caller: SignedIn, held: Held) -> Any:
    """With an ETag, for If-None-Match here and If-Match on changes."""
    return answer(request, response, await _document(held, caller, document))


@router.patch("/documents/{document}", responses=answers(409, 412))
async def edit_document(
    document: str, body: DocumentChange, response: Response, caller: SignedIn, held: Held, if_match: IfMatch = None
) -> Document:
    """Rename it, or move it to another folder of its matter. With If-Match only if it still is as that ETag says."""
    seen: documents.DocumentChanges | None = None
    if if_match is not None:
        before = await _document(held, caller, document)
        only_if(if_match, before)
        seen = {"filename": before.filename, "folder_id": before.folder_id}
    changed = Document.model_validate(await documents.edit_document(held.store, caller, document, body.given(), seen=seen))
    response.headers["ETag"] = etag_of(changed)
    return changed


@router.delete("/documents/{document}", responses=answers(409))
async def delete_document(document: str, caller: SignedIn, held: Held) -> Receipt:
    """Hidden at once, with what is attached to it; files, text and vectors are purged by the worker."""
    return Receipt.model_validate(await deletion.delete_document(held.store, caller, document))


@router.post("/documents/{document}/reingest", status_code=202, responses=answers(409))
async def reingest(document: str, caller: SignedIn, held: Held) -> Document:
    """Read its newest file again. What was read before serves until then, and stays if this fails."""
    return Document.model_validate(await documents.reprocess_document(held.store, caller, document))


@router.post("/documents/{document}/hold")
async def hold(document: str, caller: SignedIn, held: Held) -> Document:
    """A legal hold: it, and what carries it, cannot be deleted."""
    return await _hold(held, caller, document, on=True)


@router.delete("/documents/{document}/hold")
async def lift_hold(document: str, caller: SignedIn, held: Held) -> Document:
    """Lift its own hold; that of a document that carries it stays."""
    return await _hold(held, caller, document, on=False)


async def _hold(held: Held, caller: SignedIn, document: str, *, on: bool) -> Document:
    return Document.model_validate(await deletion.hold_document(held.store, caller, document, held=on))


async def _document(held: Held, caller: SignedIn, document: str) -> Document:
    return Document.model_validate(await documents.get_document(held.store, caller, document))
