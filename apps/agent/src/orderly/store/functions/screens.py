"""Ethical walls (screens), which exclude a user from a matter regardless of other permissions.

SQL: supabase/schemas/06_access.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store
from orderly.store.functions.arguments import given


class Screen(TypedDict):
    id: str
    matter_id: str
    matter_number: str
    matter_title: str
    user_id: str
    email: str
    display_name: str
    reason: str | None
    """None unless the caller is a conflicts officer or the screen's author."""
    starts_at: str
    ends_at: str | None
    in_force: bool
    created_at: str
    created_by: str | None
    """An e-mail address. None: the account no longer exists."""
    lifted_at: str | None
    lifted_by: str | None


async def add_matter_screen(
    store: Store,
    caller: Caller,
    matter_ref: str,
    *,
    member_email: str,
    reason: str,
    starts_at: str | None = None,
    ends_at: str | None = None,
) -> Screen:
    """Screens a user off from a matter. For its owners and for conflicts officers.

    `starts_at`, `ends_at`: ISO 8601; None: now, and without an end.
    """
    return await store.rpc(
        caller,
        "add_matter_screen",
        {
            "matter_ref": matter_ref,
            "member_email": member_email,
            "reason": reason,
            **given(starts_at=starts_at, ends_at=ends_at),
        },
    )


async def lift_matter_screen(store: Store, caller: Caller, matter_ref: str, screen_id: str) -> Screen:
    """Lifts a screen. For conflicts officers, except the screened user."""
    return await store.rpc(caller, "lift_matter_screen", {"matter_ref": matter_ref, "screen_id": screen_id})


async def list_matter_screens(store: Store, caller: Caller, matter_ref: str) -> list[Screen]:
    """Lists all screens of a matter, the newest first."""
    return await store.rpc(caller, "list_matter_screens", {"matter_ref": matter_ref})


async def list_screens(store: Store, caller: Caller, *, lifted: bool | None = None) -> list[Screen]:
    """Lists the screens of the firm, newest first; with `lifted`, also lifted ones. For conflicts officers."""
    return await store.rpc(caller, "list_screens", given(lifted=lifted))
