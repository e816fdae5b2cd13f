"""Lists matters, folders and documents, finds them by name, and edits folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.documents.ids import LISTABLE, Node, find_node, normalise_id, wrong_kind_error
from orderly.store.base import Store
from orderly.store.functions.documents import FullDocument, move_document
from orderly.store.functions.folders import Folder, create_folder, delete_folder, move_folder, rename_folder
from orderly.store.functions.nodes import FoundAt, Item, ListedNode, find_by_name, list_contents
from orderly.store.functions.revisions import Section, document_contents

FindKind = Literal["FOLDER", "DOCUMENT"]

MAX_PAGE_ITEMS = 100


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of results."""

    items: Sequence[Item]
    total: int
    offset: int
    node: ListedNode | None = None
    """The listed matter or folder; None for the list of matters and for results found by name."""
    found_at: Sequence[FoundAt] = ()
    """The location of each item found by name; empty for a listing."""

    @property
    def next_offset(self) -> int | None:
        after = self.offset + len(self.items)
        return after if after < self.total and self.items else None


@dataclass(frozen=True, slots=True)
class Info:
    node: Node
    sections: Sequence[Section]
    """The outline of a document; empty for other kinds."""


@dataclass(frozen=True, slots=True)
class Navigation:
    store: Store

    async def contents(self, caller: Caller, id: str | None = None, limit: int = 20, offset: int = 0) -> Listing:
        """Lists the folders and documents of a matter or folder; without an id, the caller's matters.

        Raises:
            NotFound: the item is missing, or the caller has no access to it.
            Invalid: the id names neither a matter nor a folder.
        """
        if id is not None:
            node = await find_node(self.store, caller, id)
            if node.kind not in LISTABLE:
                raise wrong_kind_error(node, "a matter or folder")
        limit, offset = page_bounds(limit, offset)
        page = await list_contents(self.store, caller, path_part_id=id and id.strip(), match_count=limit, skip=offset)
        return Listing(page["items"], page["total"], offset, page["node"])

    async def find(self, caller: Caller, name: str, kind: FindKind | None = None, limit: int = 20, offset: int = 0) -> Listing:
        """Finds matters and folders (FOLDER) and documents (DOCUMENT) whose names contain `name`, ignoring case."""
        if not name.isprintable():
            raise Invalid("A name is one line of visible text.")
        limit, offset = page_bounds(limit, offset)
        page = await find_by_name(self.store, caller, name, kind=kind, match_count=limit, skip=offset)
        return Listing(page["items"], page["total"], offset, found_at=page["items"])

    async def info(self, caller: Caller, id: str) -> Info:
        node = await find_node(self.store, caller, id)
        if node.kind != "document" or node.document is None or node.document["revision"] is None:
            return Info(node, ())
        contents = await document_contents(self.store, caller, node.id)
        return Info(node, contents["sections"])

    async def create_folder(self, caller: Caller, matter_ref: str, name: str, parent_id: str | None = None) -> Folder:
        """Raises MatterNotFound, NotFound, Denied, Invalid, and Conflict if the name is already in use."""
        _check_ids(matter=matter_ref, folder=parent_id)
        return await create_folder(self.store, caller, matter_ref, name, parent_id=parent_id)

    async def rename_folder(self, caller: Caller, folder_id: str, name: str) -> Folder:
        _check_ids(folder=folder_id)
        return await rename_folder(self.store, caller, folder_id, name)

    async def move_folder(self, caller: Caller, folder_id: str, parent_id: str | None) -> Folder:
        """Moves a folder within its matter. `parent_id` None: the top level."""
        for id in (folder_id, parent_id):
            _check_ids(folder=id)
        return await move_folder(self.store, caller, folder_id, parent_id=parent_id)

    async def delete_folder(self, caller: Caller, folder_id: str) -> Folder:
        """Deletes an empty folder. Raises Conflict if it is not empty."""
        _check_ids(folder=folder_id)
        return await delete_folder(self.store, caller, folder_id)

    async def move_document(self, caller: Caller, document_id: str, folder_id: str | None) -> FullDocument:
        """Moves a document within its matter. `folder_id` None: the top level."""
        _check_ids(document=document_id, folder=folder_id)
        return await move_document(self.store, caller, document_id, folder_id=folder_id)


def _check_ids(**ids: str | None) -> None:
    """Raises NotFound for a malformed id. Each keyword is the kind that the id should name."""
    for kind, id in ids.items():
        if id is not None:
            normalise_id(id, kind)


def page_bounds(limit: int, offset: int) -> tuple[int, int]:
    """Clamps a page to 1 to 100 items and a valid offset."""
    return min(max(limit, 1), MAX_PAGE_ITEMS), min(max(offset, 0), 1_000_000_000)
