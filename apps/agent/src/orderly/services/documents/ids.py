"""Resolves ids of matters, folders, documents, sections, passages and citations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from orderly.errors import DocumentNotFound, Invalid, MatterNotFound, NotFound, NotReady, Unreadable
from orderly.models import Caller
from orderly.services.policy import restrict_matters
from orderly.services.text import citation_label
from orderly.store.base import Store
from orderly.store.functions.documents import ReadableDocument, Revision
from orderly.store.functions.matters import Matter, MatterName, get_matter, list_matters
from orderly.store.functions.nodes import Node as StoredNode
from orderly.store.functions.nodes import get_node
from orderly.store.functions.revisions import Section

Kind = Literal["matter", "folder", "document", "section", "passage", "citation"]

ALL_MATTERS = "all"
"""In place of a matter id in searches: all matters of the caller."""

LISTABLE = ("matter", "folder")
"""Kinds that list_contents accepts."""

WITH_TEXT = ("document", "section", "passage")
"""Kinds that read accepts."""

SEARCHABLE = ("folder", "document", "section")
"""Kinds that a search accepts in `within`."""

_TOOL_HINTS = {
    "matter": "Use list_contents to see what is in it.",
    "folder": "Use list_contents to see what is in it.",
    "document": "Use read to see its content.",
    "section": "Use read to see its content.",
    "passage": "Use read to see it, or read_around for what stands around it.",
    "citation": "Use view_page to see it on its page.",
}


@dataclass(frozen=True, slots=True)
class Node:
    row: StoredNode

    @property
    def kind(self) -> Kind:
        return self.row["kind"]

    @property
    def id(self) -> str:
        return self.row["id"]

    @property
    def document(self) -> ReadableDocument | None:
        return self.row["document"]

    @property
    def matter(self) -> Matter:
        return self.row["matter"]

    @property
    def path(self) -> list[str]:
        """Names from the matter to the node."""
        names = [matter_name(self.matter), *(folder["name"] for folder in self.row["folders"])]
        if self.document is not None:
            names.append(self.document["filename"])
        names += [section_name(section) for section in self.row["sections"]]
        if (passage := self.row["passage"]) is not None:
            names.append(f"passage {passage['ordinal'] + 1}")
        return names

    @property
    def name(self) -> str:
        return self.path[-1]


def matter_name(matter: MatterName) -> str:
    return " ".join(f"{matter['number']} {matter['title']}".split())


def section_name(section: Section) -> str:
    return citation_label(section["label"], section["title"]) or "Unnamed section"


def normalise_id(id: str, kind: str) -> str:
    """Strips an id. Raises NotFound if it is malformed, with the same message as for a missing item."""
    if not id.isprintable():
        raise NotFound(f"{kind.capitalize()} {id} not found or you don't have access.")
    return id.strip()


async def find_node(store: Store, caller: Caller, id: str) -> Node:
    """Raises NotFound."""
    return Node(await get_node(store, caller, normalise_id(id, "item")))


def wrong_kind_error(node: Node, wanted: str) -> Invalid:
    """Creates an error that names the kind of the id and the tool that accepts it."""
    hint = _TOOL_HINTS[node.kind]
    if wanted == "a matter":
        hint = f"Its matter is {node.matter['number']}: name that, and keep to this id with within, where the tool has it."
    return Invalid(f"{node.id} is a {node.kind} ({node.name}), not {wanted}. {hint}")


@asynccontextmanager
async def explain_kind(store: Store, caller: Caller, id: str, wanted: Literal["matter", "document"]) -> AsyncIterator[None]:
    """Replaces "not found" for `id` by an error that names its actual kind, if the caller can see the item."""
    try:
        yield
    except (MatterNotFound, DocumentNotFound) as error:
        missing = error.matter_id if isinstance(error, MatterNotFound) else error.document_id
        if missing != id or not id.isprintable():
            raise
        try:
            node = await find_node(store, caller, id)
        except NotFound:
            raise error from None
        if node.kind == wanted or (wanted == "document" and node.document is not None):
            raise
        raise wrong_kind_error(node, f"a {wanted}") from error


@asynccontextmanager
async def explain_scope(store: Store, caller: Caller, within: Sequence[str] | None) -> AsyncIterator[None]:
    """Replaces "not found" for an id in `within` by an error that names its kind, its matter and the tool for it."""
    try:
        yield
    except DocumentNotFound as error:
        if error.document_id not in (within or ()):
            raise
        node = await _scope_node(store, caller, error.document_id)
        where = f'matter {node.matter["number"]}. Name that matter, or "{ALL_MATTERS}", to search in it.'
        raise Invalid(f"{node.id} is a {node.kind} ({node.name}) of {where}") from error


async def group_by_matter(store: Store, caller: Caller, within: Sequence[str]) -> list[tuple[Matter, list[str]]]:
    """Groups the ids of a search in all matters by matter. Raises DocumentNotFound, or Invalid for another kind of id."""
    groups: dict[str, tuple[Matter, list[str]]] = {}
    for id in dict.fromkeys(within):
        node = await _scope_node(store, caller, id)
        groups.setdefault(node.matter["id"], (node.matter, []))[1].append(node.id)
    return list(groups.values())


async def _scope_node(store: Store, caller: Caller, id: str) -> Node:
    """Finds a folder, document or section. Raises DocumentNotFound, or Invalid for another kind of id."""
    try:
        node = await find_node(store, caller, id)
    except NotFound as error:
        raise DocumentNotFound(id) from error
    if node.kind == "matter":
        raise Invalid(f"{id} is a matter ({node.name}). Name it as matter_id, and leave it out of within.")
    if node.kind not in SEARCHABLE:
        raise wrong_kind_error(node, "a folder, document or section")
    require_current(node)
    return node


async def find_matters(store: Store, caller: Caller, matter_ref: str) -> list[Matter]:
    """Finds a matter by id or number; for "all", every matter in the caller's scope."""
    if matter_ref.strip().lower() == ALL_MATTERS:
        return restrict_matters(caller, await list_matters(store, caller))
    if not matter_ref.isprintable():
        raise MatterNotFound(matter_ref)
    async with explain_kind(store, caller, matter_ref, "matter"):
        return [await get_matter(store, caller, matter_ref)]


def require_current(node: Node) -> None:
    """Raises Invalid for a section or passage of an earlier version."""
    if not node.row["current"] and node.document is not None:
        raise Invalid(
            f"{node.id} belongs to an earlier version of {node.document['filename']}. "
            f"Read the document as it is now: its id is {node.document['id']}."
        )


def current_revision(node: Node) -> Revision:
    """Returns the revision of the node's document, which must have passed `require_readable`."""
    assert node.document is not None and node.document["revision"] is not None
    return node.document["revision"]


def require_readable(document: ReadableDocument) -> None:
    """Raises NotReady if no revision is published yet, Unreadable if ingestion failed for good."""
    if document["revision"] is not None:
        return
    if document["status"] in ("failed", "unsupported"):
        raise Unreadable(document["status_reason"])
    raise NotReady
