"""From matters down to folders and documents, by place and by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.documents.ids import HOLDERS, Node, node_of, printable, wrong_kind
from orderly.store.base import Store

FindKind = Literal["FOLDER", "DOCUMENT"]

MOST = 100
"""Items of one page."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of what was asked for. `items` as the store's `list_contents` and `find_by_name` give them."""

    items: Sequence[Mapping[str, Any]]
    total: int
    offset: int
    node: Mapping[str, Any] | None = None
    """What is listed; None for the matters, and for what was found by name."""

    @property
    def next_offset(self) -> int | None:
        after = self.offset + len(self.items)
        return after if after < self.total and self.items else None


@dataclass(frozen=True, slots=True)
class Info:
    node: Node
    sections: Sequence[Mapping[str, Any]]
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
        params = {"path_part_id": id and id.strip(), "match_count": limit, "skip": offset}
        page = await self.store.rpc(caller, "list_contents", params)
        return Listing(page["items"], page["total"], offset, page["node"])

    async def find(self, caller: Caller, name: str, kind: FindKind | None = None, limit: int = 20, offset: int = 0) -> Listing:
        """Matters and folders (FOLDER) and documents (DOCUMENT) with `name` in their names, whatever the case."""
        if not name.isprintable():
            raise Invalid("A name is one line of visible text.")
        limit, offset = page_bounds(limit, offset)
        params = {"name": name, "kind": kind, "match_count": limit, "skip": offset}
        page = await self.store.rpc(caller, "find_by_name", params)
        return Listing(page["items"], page["total"], offset)

    async def info(self, caller: Caller, id: str) -> Info:
        node = await node_of(self.store, caller, id)
        if node.kind != "document" or node.document is None or node.document["revision"] is None:
            return Info(node, ())
        contents = await self.store.rpc(caller, "document_contents", {"document_id": node.id})
        return Info(node, contents["sections"])

    async def create_folder(
        self, caller: Caller, matter_ref: str, name: str, parent_id: str | None = None
    ) -> Mapping[str, Any]:
        """Raises MatterNotFound, NotFound, Denied, Invalid, and Conflict for a name that is taken."""
        params = {"matter_ref": matter_ref, "name": name, "parent_id": parent_id}
        return await self._folder(caller, "create_folder", params)

    async def rename_folder(self, caller: Caller, folder_id: str, name: str) -> Mapping[str, Any]:
        return await self._folder(caller, "rename_folder", {"folder_id": folder_id, "name": name})

    async def move_folder(self, caller: Caller, folder_id: str, parent_id: str | None) -> Mapping[str, Any]:
        """To another folder of its matter; None: to the top of the matter."""
        return await self._folder(caller, "move_folder", {"folder_id": folder_id, "parent_id": parent_id})

    async def delete_folder(self, caller: Caller, folder_id: str) -> Mapping[str, Any]:
        """Only an empty one: anything else is a Conflict."""
        return await self._folder(caller, "delete_folder", {"folder_id": folder_id})

    async def move_document(self, caller: Caller, document_id: str, folder_id: str | None) -> Mapping[str, Any]:
        """Into a folder of its matter; None: to the top of the matter."""
        return await self._folder(caller, "move_document", {"document_id": document_id, "folder_id": folder_id})

    async def _folder(self, caller: Caller, function: str, params: Mapping[str, str | None]) -> Mapping[str, Any]:
        for name, value in params.items():
            if value is not None and name.endswith(("_id", "_ref")):
                printable(value, name.partition("_")[0].replace("parent", "folder"))
        changed: Mapping[str, Any] = await self.store.rpc(caller, function, params)
        return changed


def page_bounds(limit: int, offset: int) -> tuple[int, int]:
    """Within what is allowed: 1 to 100 items, from the first on."""
    return min(max(limit, 1), MOST), min(max(offset, 0), 1_000_000_000)
