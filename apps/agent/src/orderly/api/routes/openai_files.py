"""OpenAI's files: documents of the caller's matters. A file sent without a matter goes to a private matter of the caller."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import openai_error_responses
from orderly.api.multipart import receive_file
from orderly.api.responses.lists import PageQuery, listed
from orderly.api.responses.stores import file_object
from orderly.api.routes.files import FILE
from orderly.api.routes.uploads import FORM, require_editor
from orderly.models import Caller
from orderly.services.files import open_spool
from orderly.services.ingestion import Choice
from orderly.store.functions.deletion import delete_document
from orderly.store.functions.documents import Document, get_document, list_documents
from orderly.store.functions.files import open_file
from orderly.store.functions.matters import Matter, create_matter
from orderly.wiring.services import Services

router = APIRouter(prefix="/v1/files", tags=["files"], responses=openai_error_responses(403, 404, 409, 413, 502))

INBOX = "Files of API clients"
"""Title of the matter for files that are sent without one; its maker is its only member."""

MatterQuery = Annotated[
    str | None,
    Query(max_length=200, description=f'Matter, by id, number or slug. Without it: a matter "{INBOX}" of the caller.'),
]


@router.post("", openapi_extra=FORM)
async def create_file(
    request: Request, caller: SignedIn, services: CurrentServices, matter: MatterQuery = None
) -> dict[str, Any]:
    """Upload a file. The form's other fields, such as `purpose`, are ignored."""
    target = await services.library.matter(caller, matter) if matter else await _inbox(services, caller)
    require_editor(target)
    async with open_spool("The file", services.settings.max_file_mb) as spool:
        await receive_file(request, spool)
        registered = await services.registrar.register(caller, target["id"], spool, Choice("skip"))
    return file_object(registered.document)


@router.get("")
async def list_files(
    caller: SignedIn, services: CurrentServices, page: Annotated[PageQuery, Query()], matter: MatterQuery = None
) -> dict[str, Any]:
    """List the documents of a matter, or of all the caller's matters."""
    matters = [await services.library.matter(caller, matter)] if matter else await services.library.matters(caller)
    documents: list[Document] = []
    for found in matters:
        documents += (await list_documents(services.store, caller, found["id"]))["documents"]
    return listed([file_object(document) for document in sorted(documents, key=lambda d: d["created_at"])], page)


@router.get("/{file_id}")
async def get_file(file_id: str, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    return file_object(await get_document(services.store, caller, file_id))


@router.delete("/{file_id}")
async def delete_file(file_id: str, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    """Delete a document. A legal hold prevents it."""
    await delete_document(services.store, caller, file_id)
    return {"id": file_id, "object": "file", "deleted": True}


@router.get("/{file_id}/content", response_class=StreamingResponse, responses=FILE)
async def get_content(file_id: str, caller: SignedIn, services: CurrentServices) -> Response:
    """Download the original file."""
    document = await get_document(services.store, caller, file_id)
    file = await open_file(services.store, caller, document["id"])
    blobs = services.blobs.of(caller)
    size = await blobs.size(file["storage_key"])
    headers = {"Content-Length": str(size), "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store"}
    content = blobs.stream(file["storage_key"], 0, size)
    return StreamingResponse(content, media_type="application/octet-stream", headers=headers)


async def _inbox(services: Services, caller: Caller) -> Matter:
    for matter in await services.library.matters(caller):
        if matter["title"] == INBOX and matter["role"] == "owner" and matter["archived_at"] is None:
            return matter
    return await create_matter(services.store, caller, INBOX)
