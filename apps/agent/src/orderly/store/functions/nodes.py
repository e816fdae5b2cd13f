"""The tree of matters, folders, documents, sections, passages and citations. Ids are unique among all kinds.

SQL: supabase/schemas/05_matters.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller, DocumentStatus
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.citations import Citation
from orderly.store.functions.documents import ReadableDocument
from orderly.store.functions.folders import FolderName
from orderly.store.functions.matters import Matter
from orderly.store.functions.revisions import Section


class MatterItem(TypedDict):
    kind: Literal["matter"]
    id: str
    name: str
    """Number and title."""
    number: str
    title: str
    document_count: int
    archived: bool


class FolderItem(TypedDict):
    kind: Literal["folder"]
    id: str
    name: str
    folder_count: int
    document_count: int


class DocumentItem(TypedDict):
    kind: Literal["document"]
    id: str
    name: str
    content_type: str
    status: DocumentStatus
    status_reason: str
    size_bytes: int
    page_count: int | None
    """None, like the next three: the document has not been read."""
    paged: bool | None
    char_count: int | None
    chunk_count: int | None


Item = MatterItem | FolderItem | DocumentItem


class ListedNode(TypedDict):
    kind: Literal["matter", "folder"]
    id: str
    matter: MatterItem
    folders: list[FolderName]
    """From the matter's top level to the node."""


class Contents(TypedDict):
    """One page of a node's items."""

    node: ListedNode | None
    """None: the list of matters."""
    total: int
    items: list[Item]


class FoundAt(TypedDict):
    """Location of a found item."""

    matter_number: str
    folders: list[FolderName]
    """From the matter's top level, without the item."""


class FoundMatter(MatterItem, FoundAt):
    pass


class FoundFolder(FolderItem, FoundAt):
    pass


class FoundDocument(DocumentItem, FoundAt):
    pass


FoundItem = FoundMatter | FoundFolder | FoundDocument


class FoundItems(TypedDict):
    """One page of found items."""

    total: int
    items: list[FoundItem]


class PassageNode(TypedDict):
    id: str
    ordinal: int
    section_id: str | None
    page_first: int
    page_last: int


class NodeSpan(TypedDict):
    start: int
    end: int
    char_count: int
    chunk_count: int
    """Passages that overlap the span."""


class Node(TypedDict):
    kind: Literal["matter", "folder", "document", "section", "passage", "citation"]
    id: str
    parent_id: str | None
    """None for a matter."""
    current: bool
    """Whether the node belongs to the document's current revision."""
    matter: Matter
    folders: list[FolderName]
    """From the matter's top level to the node's document, or to the folder itself."""
    document: ReadableDocument | None
    sections: list[Section]
    """From the outermost section to the innermost."""
    passage: PassageNode | None
    citation: Citation | None
    span: NodeSpan | None
    """Of a section or a passage."""


async def list_contents(
    store: Store, caller: Caller, *, path_part_id: str | None = None, match_count: int | None = None, skip: int | None = None
) -> Contents:
    """Lists the items of a matter or folder, a page at a time; without an id, the caller's matters."""
    return await store.rpc(caller, "list_contents", given(path_part_id=path_part_id, match_count=match_count, skip=skip))


async def find_by_name(
    store: Store,
    caller: Caller,
    name: str,
    *,
    kind: Literal["FOLDER", "DOCUMENT"] | None = None,
    match_count: int | None = None,
    skip: int | None = None,
) -> FoundItems:
    """Finds matters, folders and documents by a part of their name, a page at a time.

    `kind`: "FOLDER" for matters and folders, "DOCUMENT" for documents; None: all.
    """
    return await store.rpc(caller, "find_by_name", {"name": name, **given(kind=kind, match_count=match_count, skip=skip)})


async def get_node(store: Store, caller: Caller, path_part_id: str) -> Node:
    """Finds a node by its id, with its ancestors."""
    return await store.rpc(caller, "get_node", {"path_part_id": path_part_id})
