"""Groups of a firm, to which documents can be restricted.

SQL: supabase/schemas/04_firm.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store


class Group(TypedDict):
    id: str
    name: str
    members: list[str]
    """E-mail addresses."""


async def list_groups(store: Store, caller: Caller) -> list[Group]:
    """Lists the caller's groups; for an administrator all groups of the firm."""
    return await store.rpc(caller, "list_groups", {})


async def create_group(store: Store, caller: Caller, group_name: str) -> Group:
    """Creates a group without members. For the firm's administrators."""
    return await store.rpc(caller, "create_group", {"group_name": group_name})


async def delete_group(store: Store, caller: Caller, group_ref: str) -> Group:
    """Deletes a group. Raises Conflict while documents are restricted to it.

    `group_ref`: an id or a name.
    """
    return await store.rpc(caller, "delete_group", {"group_ref": group_ref})


async def set_group_member(store: Store, caller: Caller, group_ref: str, member_email: str, *, is_member: bool) -> Group:
    """Adds a user to a group, or removes the user. For the firm's administrators."""
    return await store.rpc(
        caller, "set_group_member", {"group_ref": group_ref, "member_email": member_email, "is_member": is_member}
    )
