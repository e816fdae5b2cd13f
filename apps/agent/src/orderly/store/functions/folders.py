"""Folders of a matter.

SQL: supabase/schemas/05_matters.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store
from orderly.store.functions.arguments import given


class Folder(TypedDict):
    id: str
    matter_id: str
    parent_id: str | None
    """None: at the top level of the matter."""
    name: str


class CountedFolder(Folder):
    folder_count: int
    document_count: int
    """Documents that the caller may read."""


class FolderName(TypedDict):
    id: str
    name: str


class FolderChanges(TypedDict, total=False):
    name: str
    parent_id: str | None


async def list_folders(store: Store, caller: Caller, matter_ref: str) -> list[CountedFolder]:
    """Lists all folders of a matter by name."""
    return await store.rpc(caller, "list_folders", {"matter_ref": matter_ref})


async def create_folder(store: Store, caller: Caller, matter_ref: str, name: str, *, parent_id: str | None = None) -> Folder:
    """Creates a folder; without a parent, at the top level of the matter."""
    return await store.rpc(caller, "create_folder", {"matter_ref": matter_ref, "name": name, **given(parent_id=parent_id)})


async def edit_folder(
    store: Store, caller: Caller, folder_id: str, changes: FolderChanges, *, seen: Folder | None = None
) -> Folder:
    """Changes a folder. Raises Conflict if it no longer has the values in `seen`."""
    return await store.rpc(caller, "edit_folder", {"folder_id": folder_id, "changes": changes, **given(seen=seen)})


async def rename_folder(store: Store, caller: Caller, folder_id: str, name: str) -> Folder:
    """Renames a folder. Raises Conflict if its parent has a folder of this name."""
    return await store.rpc(caller, "rename_folder", {"folder_id": folder_id, "name": name})


async def move_folder(store: Store, caller: Caller, folder_id: str, *, parent_id: str | None = None) -> Folder:
    """Moves a folder; without a parent, to the top level of the matter."""
    return await store.rpc(caller, "move_folder", {"folder_id": folder_id, **given(parent_id=parent_id)})


async def delete_folder(store: Store, caller: Caller, folder_id: str) -> Folder:
    """Deletes a folder. Raises Conflict if it is not empty."""
    return await store.rpc(caller, "delete_folder", {"folder_id": folder_id})
