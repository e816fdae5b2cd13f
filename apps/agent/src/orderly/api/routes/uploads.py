"""Files come in: a plain upload, whole or not at all. (Resumable uploads are next door, in `resumable`.)"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.multipart import FIELD, receive_file
from orderly.api.routes.documents import Document
from orderly.api.routes.matters import MatterRef
from orderly.errors import Denied
from orderly.services.files import open_spool
from orderly.services.ingestion import IfExists, Received
from orderly.store.functions.matters import Matter

router = APIRouter(prefix="/api", tags=["documents"], responses=answers(403, 404, 409, 413, 502))

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
"""For the OpenAPI document: the body is read as it arrives, so FastAPI does not see it."""

IfExistsQuery = Annotated[
    IfExists,
    Query(
        description="Where the matter holds this content: skip it (and answer with what is there), keep both, make it a new "
        "version, or ask: refuse with 409 and what is there. new_version and ask count where only the name is the same, too."
    ),
]


class Uploaded(Document):
    """The document that holds the file now, which may be one that was there."""

    duplicate: bool = Field(description="Nothing was taken in: the matter holds this content already.")
    note: str = Field(default="", description="What the content is in the matter already, where that is another name.")


@router.post("/matters/{matter}/documents", status_code=201, responses={200: {"model": Uploaded}}, openapi_extra=FORM)
async def upload(
    matter: MatterRef,
    request: Request,
    response: Response,
    caller: SignedIn,
    held: Held,
    if_exists: IfExistsQuery = "skip",
    folder_id: Annotated[str | None, Query(max_length=100)] = None,
    version_of: Annotated[str | None, Query(max_length=100, description="The document that it is a new version of.")] = None,
) -> Uploaded:
    """Take a file into a matter. It is read in the background; the matter's events tell how far that is."""
    target = await held.library.matter(caller, matter)
    may_add(target)
    async with open_spool("The file", held.settings.max_file_mb) as kept:
        await receive_file(request, kept)
        received = await held.intake.take_in(caller, target["id"], kept, if_exists, folder_id, version_of)
    if received.duplicate:
        response.status_code = 200
    return uploaded(received)


def may_add(matter: Matter) -> None:
    """Said before the file is sent; the store decides again. Raises Denied."""
    if matter["role"] not in ("owner", "editor"):
        raise Denied("Only an editor or owner of this matter can do that.")


def uploaded(received: Received) -> Uploaded:
    return Uploaded.model_validate({**received.document, "duplicate": received.duplicate, "note": received.note})
