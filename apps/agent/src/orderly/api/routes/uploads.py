"""Upload of a whole file in one request. Resumable uploads are in `resumable_uploads`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.multipart import FIELD, receive_file
from orderly.api.routes.documents import Document
from orderly.api.routes.matters import MatterRef
from orderly.errors import Denied
from orderly.models import DuplicatePolicy
from orderly.services.files import open_spool
from orderly.services.ingestion import Choice, Registered
from orderly.store.functions.matters import Matter

router = APIRouter(prefix="/api", tags=["documents"], responses=error_responses(403, 404, 409, 413, 502))

FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {FIELD: {"type": "string", "contentMediaType": "application/octet-stream"}},
                }
            }
        },
    }
}
"""Request body for the OpenAPI document: the route streams the body, so FastAPI does not know its format."""

IfExistsQuery = Annotated[
    DuplicatePolicy,
    Query(
        description="If the matter already has this content: skip the file (and return the existing document), keep both, "
        "make it a new version, or ask: refuse with 409 and the existing documents. "
        "new_version and ask also apply if only the name is the same."
    ),
]


class Uploaded(Document):
    """The document of the uploaded file; an existing document for a duplicate."""

    duplicate: bool = Field(description="True: nothing was added, because the matter already has this content.")
    note: str = Field(default="", description="Name of the same content in the matter, if the name differs.")


@router.post("/matters/{matter}/documents", status_code=201, responses={200: {"model": Uploaded}}, openapi_extra=FORM)
async def upload(
    matter: MatterRef,
    request: Request,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    if_exists: IfExistsQuery = "skip",
    folder_id: Annotated[str | None, Query(max_length=100)] = None,
    version_of: Annotated[
        str | None, Query(max_length=100, description="Id of the document that gets the file as a new version.")
    ] = None,
) -> Uploaded:
    """Upload a file to a matter. It is read in the background; the matter's events report the progress."""
    target = await services.library.matter(caller, matter)
    require_editor(target)
    async with open_spool("The file", services.settings.max_file_mb) as spool:
        await receive_file(request, spool)
        registered = await services.registrar.register(caller, target["id"], spool, Choice(if_exists, version_of), folder_id)
    if registered.duplicate:
        response.status_code = 200
    return uploaded(registered)


def require_editor(matter: Matter) -> None:
    """Refuses a viewer before the file is transferred; the store checks again. Raises Denied."""
    if matter["role"] not in ("owner", "editor"):
        raise Denied("Only an editor or owner of this matter can do that.")


def uploaded(registered: Registered) -> Uploaded:
    return Uploaded.model_validate({**registered.document, "duplicate": registered.duplicate, "note": registered.note})
