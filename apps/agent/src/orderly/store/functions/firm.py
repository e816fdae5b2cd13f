"""Firms and their users.

SQL: supabase/schemas/04_firm.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given


class Tenant(TypedDict):
    id: str
    name: str


class Person(TypedDict):
    user_id: str
    email: str
    display_name: str
    is_admin: bool
    is_conflicts_officer: bool


class User(Person):
    """A person with their firm."""

    tenant_id: str
    tenant_name: str


class ListedUser(User):
    revoked_at: str | None
    """Since when the user's access is revoked; None if it is not."""


class ToolGrant(TypedDict):
    client_id: str
    """"orderly" for Orderly's own agents, "mcp" for clients of the MCP server."""
    function_name: str
    granted: bool


class InstallationTotals(TypedDict):
    """Counts for the whole installation."""

    tenants: int
    users: int
    matters: int
    documents: int
    by_status: dict[str, int]
    """Documents by status, including deleted ones."""
    chunks: int
    vectors_by_model: dict[str, int]
    postgres: str
    pgvector: str | None


async def create_tenant(worker: WorkerCalls, name: str) -> Tenant:
    """Creates a firm. Raises Conflict if the name is taken."""
    return await worker.rpc("create_tenant", {"name": name})


async def rename_tenant(worker: WorkerCalls, tenant: str, new_name: str) -> Tenant:
    """Renames a firm. Raises NotFound, and Conflict if the new name is taken."""
    return await worker.rpc("rename_tenant", {"tenant": tenant, "new_name": new_name})


async def create_user(worker: WorkerCalls, email: str, *, display_name: str, tenant: str, is_admin: bool | None = None) -> User:
    """Creates a person in a firm. Raises Conflict when the address is taken.

    `tenant`: the firm's id or name.
    """
    return await worker.rpc(
        "create_user", {"email": email, "display_name": display_name, "tenant": tenant, **given(is_admin=is_admin)}
    )


async def list_users(worker: WorkerCalls) -> list[ListedUser]:
    """Lists the people of all firms by address."""
    return await worker.rpc("list_users", {})


async def set_conflicts_officer(worker: WorkerCalls, email: str, *, is_officer: bool) -> User:
    """Grants or revokes the role of conflicts officer."""
    return await worker.rpc("set_conflicts_officer", {"email": email, "is_officer": is_officer})


async def stats_for_doctor(worker: WorkerCalls) -> InstallationTotals:
    """Counts the installation's data."""
    return await worker.rpc("stats_for_doctor", {})


async def whoami(store: Store, caller: Caller) -> User:
    """Describes the caller. Raises Denied for a user without a profile."""
    return await store.rpc(caller, "whoami", {})


async def list_people(store: Store, caller: Caller) -> list[Person]:
    """Lists the people of the caller's firm by address."""
    return await store.rpc(caller, "list_people", {})


async def add_person(store: Store, caller: Caller, email: str, display_name: str) -> Person:
    """Creates a person in the caller's firm. For its administrators."""
    return await store.rpc(caller, "add_person", {"email": email, "display_name": display_name})


async def set_person(
    store: Store, caller: Caller, person_email: str, *, is_admin: bool | None = None, is_conflicts_officer: bool | None = None
) -> Person:
    """Grants or revokes a user's roles in the firm; None leaves a role unchanged. For the firm's administrators."""
    return await store.rpc(
        caller,
        "set_person",
        {"person_email": person_email, **given(is_admin=is_admin, is_conflicts_officer=is_conflicts_officer)},
    )


async def grant_tool(
    store: Store, caller: Caller, client_id: str, function_name: str, *, granted: bool | None = None
) -> ToolGrant:
    """Grants a tool to a client in the caller's firm, or withholds it. For the firm's administrators."""
    return await store.rpc(
        caller, "grant_tool", {"client_id": client_id, "function_name": function_name, **given(granted=granted)}
    )


async def withheld_tools(store: Store, caller: Caller, client_id: str) -> list[str]:
    """Lists the tools that the caller's firm withholds from a client."""
    return await store.rpc(caller, "withheld_tools", {"client_id": client_id}, repeatable=True)
