"""Folders of a matter."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.etags import IfMatch, etag_of, only_if
from orderly.api.routes.matters import MatterRef
from orderly.errors import NotFound
from orderly.store.functions import folders

router = APIRouter(prefix="/api/matters/{matter}/folders", tags=["folders"], responses=answers(403, 404))

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


class NewFolder(BaseModel):
    name: Name
    parent_id: str | None = Field(default=None, max_length=100)


class FolderChange(BaseModel):
    """What is left out stays as it is."""

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
async def list_folders(matter: MatterRef, caller: SignedIn, held: Held) -> list[ListedFolder]:
    """Every folder of the matter, at all depths, by name."""
    return [ListedFolder.model_validate(f) for f in await folders.list_folders(held.store, caller, matter)]


@router.post("", status_code=201, responses=answers(409))
async def create_folder(matter: MatterRef, body: NewFolder, caller: SignedIn, held: Held) -> Folder:
    return Folder.model_validate(await held.navigation.create_folder(caller, matter, body.name, body.parent_id))


@router.patch("/{folder}", responses=answers(409, 412))
async def edit_folder(
    matter: MatterRef,
    folder: FolderId,
    body: FolderChange,
    response: Response,
    caller: SignedIn,
    held: Held,
    if_match: IfMatch = None,
) -> Folder:
    """Rename it or move it, with all that is in it. The ETag is that of the folder as this route answers with it."""
    before = await _folder(held, caller, matter, folder)
    only_if(if_match, Folder.model_validate(before))
    changed = Folder.model_validate(
        await folders.edit_folder(
            held.store,
            caller,
            before["id"],
            body.given(),
            seen=_without_counts(before) if if_match is not None else None,
        )
    )
    response.headers["ETag"] = etag_of(changed)
    return changed


@router.delete("/{folder}", responses=answers(409))
async def delete_folder(matter: MatterRef, folder: FolderId, caller: SignedIn, held: Held) -> Folder:
    """Only an empty one."""
    found = await _folder(held, caller, matter, folder)
    return Folder.model_validate(await held.navigation.delete_folder(caller, found["id"]))


async def _folder(held: Held, caller: SignedIn, matter: str, folder: str) -> folders.CountedFolder:
    """Raises NotFound for a folder of another matter."""
    for row in await folders.list_folders(held.store, caller, matter):
        if row["id"] == folder:
            return row
    raise NotFound(f"Folder {folder} not found or you don't have access.")


def _without_counts(row: folders.Folder) -> folders.Folder:
    return {"id": row["id"], "matter_id": row["matter_id"], "parent_id": row["parent_id"], "name": row["name"]}
