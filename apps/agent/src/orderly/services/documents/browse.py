"""From matters down to folders and documents, by place and by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.documents.ids import HOLDERS, Node, node_of, printable, wrong_kind
from orderly.store.base import Store
from orderly.store.functions.documents import FullDocument, move_document
from orderly.store.functions.folders import Folder, create_folder, delete_folder, move_folder, rename_folder
from orderly.store.functions.nodes import FoundAt, Item, ListedNode, find_by_name, list_contents
from orderly.store.functions.revisions import Section, document_contents

FindKind = Literal["FOLDER", "DOCUMENT"]

MOST = 100
"""Items of one page."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of what was asked for."""

    items: Sequence[Item]
    total: int
    offset: int
    node: ListedNode | None = None
    """What is listed; None for the matters, and for what was found by name."""
    found_at: Sequence[FoundAt] = ()
    """Where each of the items is, for what was found by name."""

    @property
    def next_offset(self) -> int | None:
        after = self.offset + len(self.items)
        return after if after < self.total and self.items else None


@dataclass(frozen=True, slots=True)
class Info:
    node: Node
    sections: Sequence[Section]
    """The outline of a document; empty for anything else."""


@dataclass(frozen=True, slots=True)
class Navigation:
    store: Store

    async def contents(self, caller: Caller, id: str | None = None, limit: int = 20, offset: int = 0) -> Listing:
        """Folders and documents of a matter or folder; without an id, the caller's matters.

        Raises:
            NotFound: missing or not the caller's to see.
            Invalid: the id is of something that is read, not listed.
        """
        if id is not None:
            node = await node_of(self.store, caller, id)
            if node.kind not in HOLDERS:
                raise wrong_kind(node, "a matter or folder")
        limit, offset = page_bounds(limit, offset)
        page = await list_contents(self.store, caller, path_part_id=id and id.strip(), match_count=limit, skip=offset)
        return Listing(page["items"], page["total"], offset, page["node"])

    async def find(self, caller: Caller, name: str, kind: FindKind | None = None, limit: int = 20, offset: int = 0) -> Listing:
        """Matters and folders (FOLDER) and documents (DOCUMENT) with `name` in their names, whatever the case."""
        if not name.isprintable():
            raise Invalid("A name is one line of visible text.")
        limit, offset = page_bounds(limit, offset)
        page = await find_by_name(self.store, caller, name, kind=kind, match_count=limit, skip=offset)
        return Listing(page["items"], page["total"], offset, found_at=page["items"])

    async def info(self, caller: Caller, id: str) -> Info:
        node = await node_of(self.store, caller, id)
        if node.kind != "document" or node.document is None or node.document["revision"] is None:
            return Info(node, ())
        contents = await document_contents(self.store, caller, node.id)
        return Info(node, contents["sections"])

    async def create_folder(self, caller: Caller, matter_ref: str, name: str, parent_id: str | None = None) -> Folder:
        """Raises MatterNotFound, NotFound, Denied, Invalid, and Conflict for a name that is taken."""
        _printable(matter=matter_ref, folder=parent_id)
        return await create_folder(self.store, caller, matter_ref, name, parent_id=parent_id)

    async def rename_folder(self, caller: Caller, folder_id: str, name: str) -> Folder:
        _printable(folder=folder_id)
        return await rename_folder(self.store, caller, folder_id, name)

    async def move_folder(self, caller: Caller, folder_id: str, parent_id: str | None) -> Folder:
        """To another folder of its matter; None: to the top of the matter."""
        for id in (folder_id, parent_id):
            _printable(folder=id)
        return await move_folder(self.store, caller, folder_id, parent_id=parent_id)

    async def delete_folder(self, caller: Caller, folder_id: str) -> Folder:
        """Only an empty one: anything else is a Conflict."""
        _printable(folder=folder_id)
        return await delete_folder(self.store, caller, folder_id)

    async def move_document(self, caller: Caller, document_id: str, folder_id: str | None) -> FullDocument:
        """Into a folder of its matter; None: to the top of the matter."""
        _printable(document=document_id, folder=folder_id)
        return await move_document(self.store, caller, document_id, folder_id=folder_id)


def _printable(**ids: str | None) -> None:
    """Raises NotFound for an id, by the kind of what it names, that no id can be."""
    for kind, id in ids.items():
        if id is not None:
            printable(id, kind)


def page_bounds(limit: int, offset: int) -> tuple[int, int]:
    """Within what is allowed: 1 to 100 items, from the first on."""
    return min(max(limit, 1), MOST), min(max(offset, 0), 1_000_000_000)
