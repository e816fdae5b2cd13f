"""Matters.

SQL: supabase/schemas/05_matters.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller, Role
from orderly.store.base import Store
from orderly.store.functions.arguments import given


class Matter(TypedDict):
    """A matter as seen by a member."""

    id: str
    number: str
    slug: str
    title: str
    kind: Literal["matter", "workspace"]
    """"workspace": the files of one conversation."""
    role: Role
    document_count: int
    """Documents that the caller may read."""
    created_at: str
    archived_at: str | None


class MatterName(TypedDict):
    id: str
    number: str
    title: str


class FirmMatter(MatterName):
    """A matter as seen by an administrator of the firm, who may not be a member."""

    archived_at: str | None
    owners: list[str]
    """E-mail addresses."""
    member_count: int


class MatterChanges(TypedDict, total=False):
    title: str
    archived: bool


async def create_matter(store: Store, caller: Caller, title: str, *, number: str | None = None) -> Matter:
    """Creates a matter that the caller owns. Raises Conflict when the number is taken.

    `number`: None takes the firm's next number of the year.
    """
    return await store.rpc(caller, "create_matter", {"title": title, **given(number=number)})


async def edit_matter(
    store: Store, caller: Caller, matter_ref: str, changes: MatterChanges, *, seen: MatterChanges | None = None
) -> Matter:
    """Changes a matter. Raises Conflict if the matter no longer has the values in `seen`."""
    return await store.rpc(caller, "edit_matter", {"matter_ref": matter_ref, "changes": changes, **given(seen=seen)})


async def get_matter(store: Store, caller: Caller, matter_ref: str) -> Matter:
    """Finds a matter by its id or number."""
    return await store.rpc(caller, "get_matter", {"matter_ref": matter_ref})


async def list_matters(store: Store, caller: Caller) -> list[Matter]:
    """Lists the caller's matters by number, archived ones last."""
    return await store.rpc(caller, "list_matters", {}, repeatable=True)


async def firm_matters(store: Store, caller: Caller) -> list[FirmMatter]:
    """Lists all matters of the caller's firm by number. For its administrators."""
    return await store.rpc(caller, "firm_matters", {})
