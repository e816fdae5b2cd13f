"""Members of a matter.

SQL: supabase/schemas/06_access.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller, Role
from orderly.store.base import Store


class Member(TypedDict):
    user_id: str
    email: str
    display_name: str
    role: Role
    added_at: str


async def add_matter_member(store: Store, caller: Caller, matter_ref: str, *, member_email: str, member_role: Role) -> Member:
    """Adds a user of the firm as a member, or changes a member's role. For the matter's owners."""
    return await store.rpc(
        caller, "add_matter_member", {"matter_ref": matter_ref, "member_email": member_email, "member_role": member_role}
    )


async def remove_matter_member(store: Store, caller: Caller, matter_ref: str, member_email: str) -> Member:
    """Removes a member. Raises Conflict for the last owner."""
    return await store.rpc(caller, "remove_matter_member", {"matter_ref": matter_ref, "member_email": member_email})


async def list_matter_members(store: Store, caller: Caller, matter_ref: str) -> list[Member]:
    """Lists the members of a matter by address."""
    return await store.rpc(caller, "list_matter_members", {"matter_ref": matter_ref})


async def firm_matter_members(store: Store, caller: Caller, matter_ref: str) -> list[Member]:
    """Lists the members of any matter of the firm by address. For the firm's administrators."""
    return await store.rpc(caller, "firm_matter_members", {"matter_ref": matter_ref})


async def set_firm_member(
    store: Store, caller: Caller, matter_ref: str, *, member_email: str, member_role: Role | None
) -> Member:
    """Sets a user's role in any matter of the firm; None removes the user. For the firm's administrators."""
    return await store.rpc(
        caller, "set_firm_member", {"matter_ref": matter_ref, "member_email": member_email, "member_role": member_role}
    )
