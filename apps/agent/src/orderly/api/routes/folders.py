"""Folders of a matter."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.etags import IfMatch, etag_of, require_match
from orderly.api.routes.matters import MatterRef
from orderly.errors import NotFound
from orderly.store.functions import folders

router = APIRouter(prefix="/api/matters/{matter}/folders", tags=["folders"], responses=error_responses(403, 404))

FolderId = Annotated[str, Path(max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=255)]


class Folder(BaseModel):
    id: str
    matter_id: str
    parent_id: str | None
    name: str


class ListedFolder(Folder):
    folder_count: int
    document_count: int


class NewFolder(Body):
    name: Name
    parent_id: str | None = Field(default=None, max_length=100)


class FolderChange(Body):
    """Omitted fields stay unchanged."""

    name: Name = ""
    parent_id: str | None = Field(default=None, max_length=100, description="null: the top of the matter.")

    def given(self) -> folders.FolderChanges:
        changes: folders.FolderChanges = {}
        if "name" in self.model_fields_set:
            changes["name"] = self.name
        if "parent_id" in self.model_fields_set:
            changes["parent_id"] = self.parent_id
        return changes


@router.get("")
async def list_folders(matter: MatterRef, caller: SignedIn, services: CurrentServices) -> list[ListedFolder]:
    """List all folders of the matter, at every level, by name."""
    return [ListedFolder.model_validate(f) for f in await folders.list_folders(services.store, caller, matter)]


@router.post("", status_code=201, responses=error_responses(409))
async def create_folder(matter: MatterRef, body: NewFolder, caller: SignedIn, services: CurrentServices) -> Folder:
    return Folder.model_validate(await services.navigation.create_folder(caller, matter, body.name, body.parent_id))


@router.patch("/{folder}", responses=error_responses(409, 412))
async def edit_folder(
    matter: MatterRef,
    folder: FolderId,
    body: FolderChange,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    if_match: IfMatch = None,
) -> Folder:
    """Rename or move a folder with its content. The ETag is computed from this route's response."""
    before = await _folder(services, caller, matter, folder)
    require_match(if_match, Folder.model_validate(before))
    changed = Folder.model_validate(
        await folders.edit_folder(
            services.store,
            caller,
            before["id"],
            body.given(),
            seen=_without_counts(before) if if_match is not None else None,
        )
    )
    response.headers["ETag"] = etag_of(changed)
    return changed


@router.delete("/{folder}", responses=error_responses(409))
async def delete_folder(matter: MatterRef, folder: FolderId, caller: SignedIn, services: CurrentServices) -> Folder:
    """Delete an empty folder."""
    found = await _folder(services, caller, matter, folder)
    return Folder.model_validate(await services.navigation.delete_folder(caller, found["id"]))


async def _folder(services: CurrentServices, caller: SignedIn, matter: str, folder: str) -> folders.CountedFolder:
    """Raises NotFound for a folder of another matter."""
    for row in await folders.list_folders(services.store, caller, matter):
        if row["id"] == folder:
            return row
    raise NotFound(f"Folder {folder} not found or you don't have access.")


def _without_counts(row: folders.Folder) -> folders.Folder:
    return {"id": row["id"], "matter_id": row["matter_id"], "parent_id": row["parent_id"], "name": row["name"]}
