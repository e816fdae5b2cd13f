from __future__ import annotations

from collections.abc import Sequence

import click

from orderly.cli.session import json_option, operator_session, runs, session, show
from orderly.cli.tool_grants import tools
from orderly.models import Role
from orderly.store.functions.documents import restrict_document
from orderly.store.functions.firm import Person, list_people, rename_tenant, set_person
from orderly.store.functions.groups import Group, create_group, delete_group, list_groups, set_group_member
from orderly.store.functions.matters import firm_matters
from orderly.store.functions.members import set_firm_member


@click.group("firm")
def firm() -> None:
    """People, groups, tools and matter members of the firm, for administrators. The role gives no access to documents."""


firm.add_command(tools)


@firm.command("people")
@json_option
@runs
async def people(as_json: bool) -> None:
    """List the people of the firm and their roles."""
    async with session() as s:
        found = await list_people(s.services.store, s.caller)
    show(found, "\n".join(_person(p) for p in found), as_json)


@firm.command("set")
@click.argument("email")
@click.option("--admin/--no-admin", default=None, help="Manages people, groups and membership.")
@click.option("--officer/--no-officer", default=None, help="Conflicts officer: manages walls.")
@json_option
@runs
async def set_roles(email: str, admin: bool | None, officer: bool | None, as_json: bool) -> None:
    """Set the roles of a person in the firm."""
    async with session() as s:
        person = await set_person(s.services.store, s.caller, email, is_admin=admin, is_conflicts_officer=officer)
    show(person, _person(person), as_json)


@firm.command("rename")
@click.argument("name")
@click.argument("new_name")
@json_option
@runs
async def rename(name: str, new_name: str, as_json: bool) -> None:
    """Rename a firm (operator only). ORDERLY_FIRM, if set, must name it anew on every node."""
    async with operator_session() as (_, operator):
        renamed = await rename_tenant(operator.worker, name, new_name)
    show(renamed, f"{name} is called {renamed['name']} now. Where ORDERLY_FIRM is set, set it to this name.", as_json)


@firm.command("matters")
@json_option
@runs
async def matters(as_json: bool) -> None:
    """List the matters of the firm and their owners."""
    async with session() as s:
        found = await firm_matters(s.services.store, s.caller)
    lines = [f"{m['number']}  {m['title']}  {', '.join(m['owners'])}  {m['member_count']} members" for m in found]
    show(found, "\n".join(lines) or "There are no matters.", as_json)


@firm.command("member")
@click.argument("matter")
@click.argument("email")
@click.option("--role", type=click.Choice(["owner", "editor", "viewer"]), default=None)
@click.option("--remove", is_flag=True)
@json_option
@runs
async def member(matter: str, email: str, role: Role | None, remove: bool, as_json: bool) -> None:
    """Give a colleague a role in any matter, or remove them. Administrators cannot add themselves."""
    if remove == (role is not None):
        raise click.UsageError("Give either --role or --remove.")
    async with session() as s:
        made = await set_firm_member(s.services.store, s.caller, matter, member_email=email, member_role=role)
    show(made, f"{made['email']} is {'no longer a member' if remove else role} of {matter}.", as_json)


@firm.group("groups")
def groups() -> None:
    """Groups to which documents can be restricted: see `orderly restrict`."""


@groups.command("list")
@json_option
@runs
async def listing(as_json: bool) -> None:
    """List your groups; for administrators, all groups."""
    async with session() as s:
        found = await list_groups(s.services.store, s.caller)
    show(found, "\n".join(_group(g) for g in found) or "There are no groups.", as_json)


@groups.command("create")
@click.argument("name")
@json_option
@runs
async def create(name: str, as_json: bool) -> None:
    """Create a group."""
    async with session() as s:
        made = await create_group(s.services.store, s.caller, name)
    show(made, _group(made), as_json)


@groups.command("delete")
@click.argument("name")
@json_option
@runs
async def delete(name: str, as_json: bool) -> None:
    """Delete a group to which no document is restricted."""
    async with session() as s:
        deleted = await delete_group(s.services.store, s.caller, name)
    show(deleted, f"Deleted {deleted['name']}.", as_json)


@groups.command("add")
@click.argument("name")
@click.argument("emails", nargs=-1, required=True)
@json_option
@runs
async def add(name: str, emails: Sequence[str], as_json: bool) -> None:
    """Add people to a group."""
    made = await _set_members(name, emails, is_member=True)
    show(made, _group(made), as_json)


@groups.command("remove")
@click.argument("name")
@click.argument("emails", nargs=-1, required=True)
@json_option
@runs
async def remove(name: str, emails: Sequence[str], as_json: bool) -> None:
    """Remove people from a group. They lose access to the documents restricted to it."""
    made = await _set_members(name, emails, is_member=False)
    show(made, _group(made), as_json)


@click.command("restrict")
@click.argument("document_id")
@click.option("--group", default=None, help="Only members of this group may read the document.")
@click.option("--open", "opened", is_flag=True, help="All members of the matter may read the document.")
@json_option
@runs
async def restrict(document_id: str, group: str | None, opened: bool, as_json: bool) -> None:
    """Restrict a document and its attachments to a group within the matter."""
    if opened == (group is not None):
        raise click.UsageError("Give either --group or --open.")
    async with session() as s:
        made = await restrict_document(s.services.store, s.caller, document_id, group_ref=group)
    whom = f"the group {made['group']['name']} alone" if made["group"] else "everybody in the matter"
    show(made, f"{made['filename']} is for {whom}.", as_json)


async def _set_members(group: str, emails: Sequence[str], *, is_member: bool) -> Group:
    """The group after the last change."""
    async with session() as s:
        store, caller = s.services.store, s.caller
        return [await set_group_member(store, caller, group, email, is_member=is_member) for email in emails][-1]


def _person(p: Person) -> str:
    return f"{p['email']}{'  admin' if p['is_admin'] else ''}{'  conflicts officer' if p['is_conflicts_officer'] else ''}"


def _group(g: Group) -> str:
    return f"{g['name']}: {', '.join(g['members']) or 'nobody'}\nID: {g['id']}"
