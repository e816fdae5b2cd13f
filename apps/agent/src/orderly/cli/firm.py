from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from orderly.cli.session import json_option, runs, session, show


@click.group("firm")
def firm() -> None:
    """For administrators of the firm: people, groups, and who is in which matter. They read nothing by it."""


async def _ask(function: str, **params: Any) -> Any:
    async with session() as s:
        return await s.services.store.rpc(s.caller, function, params)


@firm.command("people")
@json_option
@runs
async def people(as_json: bool) -> None:
    """List everybody, with their roles in the firm."""
    found = await _ask("list_people")
    show(found, "\n".join(_person(p) for p in found), as_json)


@firm.command("set")
@click.argument("email")
@click.option("--admin/--no-admin", default=None, help="Manages people, groups and membership.")
@click.option("--officer/--no-officer", default=None, help="Conflicts officer: manages walls.")
@json_option
@runs
async def set_person(email: str, admin: bool | None, officer: bool | None, as_json: bool) -> None:
    """Give somebody a role in the firm, or take it."""
    made = await _ask("set_person", person_email=email, is_admin=admin, is_conflicts_officer=officer)
    show(made, _person(made), as_json)


@firm.command("matters")
@json_option
@runs
async def matters(as_json: bool) -> None:
    """List the matters of the firm and their owners."""
    found = await _ask("firm_matters")
    lines = [f"{m['number']}  {m['title']}  {', '.join(m['owners'])}  {m['member_count']} members" for m in found]
    show(found, "\n".join(lines) or "There are no matters.", as_json)


@firm.command("member")
@click.argument("matter")
@click.argument("email")
@click.option("--role", type=click.Choice(["owner", "editor", "viewer"]), default=None)
@click.option("--remove", is_flag=True)
@json_option
@runs
async def member(matter: str, email: str, role: str | None, remove: bool, as_json: bool) -> None:
    """Give a colleague a role in any matter, or remove them. Nobody lets themselves in."""
    if remove == (role is not None):
        raise click.UsageError("Give either --role or --remove.")
    made = await _ask("set_firm_member", matter_ref=matter, member_email=email, member_role=role)
    show(made, f"{made['email']} is {'no longer a member' if remove else role} of {matter}.", as_json)


@firm.group("groups")
def groups() -> None:
    """Groups for which documents may be kept: see `orderly restrict`."""


@groups.command("list")
@json_option
@runs
async def list_groups(as_json: bool) -> None:
    """List your groups; for administrators, all."""
    found = await _ask("list_groups")
    show(found, "\n".join(_group(g) for g in found) or "There are no groups.", as_json)


@groups.command("create")
@click.argument("name")
@json_option
@runs
async def create_group(name: str, as_json: bool) -> None:
    """Create a group."""
    made = await _ask("create_group", group_name=name)
    show(made, _group(made), as_json)


@groups.command("delete")
@click.argument("name")
@json_option
@runs
async def delete_group(name: str, as_json: bool) -> None:
    """Delete a group that no document is kept for."""
    gone = await _ask("delete_group", group_ref=name)
    show(gone, f"Deleted {gone['name']}.", as_json)


@groups.command("add")
@click.argument("name")
@click.argument("emails", nargs=-1, required=True)
@json_option
@runs
async def add(name: str, emails: Sequence[str], as_json: bool) -> None:
    """Put people into a group."""
    made = [await _ask("set_group_member", group_ref=name, member_email=email, is_member=True) for email in emails][-1]
    show(made, _group(made), as_json)


@groups.command("remove")
@click.argument("name")
@click.argument("emails", nargs=-1, required=True)
@json_option
@runs
async def remove(name: str, emails: Sequence[str], as_json: bool) -> None:
    """Take people out of a group. What is kept for it they cannot read from then on."""
    made = [await _ask("set_group_member", group_ref=name, member_email=email, is_member=False) for email in emails][-1]
    show(made, _group(made), as_json)


@click.command("restrict")
@click.argument("document_id")
@click.option("--group", default=None, help="Keep it for the members of this group.")
@click.option("--open", "opened", is_flag=True, help="For everybody in the matter again.")
@json_option
@runs
async def restrict(document_id: str, group: str | None, opened: bool, as_json: bool) -> None:
    """Keep a document, and what is attached to it, for a group inside its matter."""
    if opened == (group is not None):
        raise click.UsageError("Give either --group or --open.")
    made = await _ask("restrict_document", document_id=document_id, group_ref=group)
    whom = f"the group {made['group']['name']} alone" if made["group"] else "everybody in the matter"
    show(made, f"{made['filename']} is for {whom}.", as_json)


def _person(p: Mapping[str, Any]) -> str:
    return f"{p['email']}{'  admin' if p['is_admin'] else ''}{'  conflicts officer' if p['is_conflicts_officer'] else ''}"


def _group(g: Mapping[str, Any]) -> str:
    return f"{g['name']}: {', '.join(g['members']) or 'nobody'}\nID: {g['id']}"
