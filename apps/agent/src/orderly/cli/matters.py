from __future__ import annotations

import click

from orderly.agent.rendering import matter_list
from orderly.cli.screens import screen
from orderly.cli.session import json_option, runs, session, show
from orderly.models import Role
from orderly.store.functions.matters import create_matter, edit_matter
from orderly.store.functions.members import add_matter_member, list_matter_members, remove_matter_member


@click.group()
def matters() -> None:
    """Matters, their members and their walls."""


matters.add_command(screen)


@matters.command("list")
@json_option
@runs
async def list_matters(as_json: bool) -> None:
    """List your matters."""
    async with session() as s:
        found = await s.services.library.matters(s.caller)
    show(found, matter_list(found) if found else "You have no matters yet.", as_json)


@matters.command("create")
@click.argument("title")
@click.option("--number", default=None, help="Default: the next number of the year.")
@json_option
@runs
async def create(title: str, number: str | None, as_json: bool) -> None:
    """Create a matter; you become its owner."""
    async with session() as s:
        made = await create_matter(s.services.store, s.caller, title, number=number)
    show(made, f"Created {made['number']} {made['title']}\nID: {made['id']}", as_json)


@matters.command("rename")
@click.argument("matter")
@click.argument("title")
@json_option
@runs
async def rename(matter: str, title: str, as_json: bool) -> None:
    """Change the title of a matter, and with it the slug. For owners."""
    async with session() as s:
        done = await edit_matter(s.services.store, s.caller, matter, {"title": title})
    show(done, f"{done['number']} is now {done['title']} ({done['slug']}).", as_json)


@matters.command("archive")
@click.argument("matter")
@click.option("--reopen", is_flag=True, help="Reopen an archived matter.")
@json_option
@runs
async def archive(matter: str, reopen: bool, as_json: bool) -> None:
    """Archive a matter: it is listed last, stays readable and accepts no files. For owners."""
    async with session() as s:
        done = await edit_matter(s.services.store, s.caller, matter, {"archived": not reopen})
    show(done, f"{done['number']} {done['title']} is {'open again' if reopen else 'archived'}.", as_json)


@matters.group("member")
def member() -> None:
    """Members of a matter."""


@member.command("add")
@click.argument("matter")
@click.argument("email")
@click.option("--role", type=click.Choice(["owner", "editor", "viewer"]), default="viewer", show_default=True)
@json_option
@runs
async def add(matter: str, email: str, role: Role, as_json: bool) -> None:
    """Add a member, or change a member's role."""
    async with session() as s:
        made = await add_matter_member(s.services.store, s.caller, matter, member_email=email, member_role=role)
    show(made, f"{email} is now {role} of {matter}.", as_json)


@member.command("remove")
@click.argument("matter")
@click.argument("email")
@json_option
@runs
async def remove(matter: str, email: str, as_json: bool) -> None:
    """Remove a member."""
    async with session() as s:
        made = await remove_matter_member(s.services.store, s.caller, matter, email)
    show(made, f"{email} is no longer a member of {matter}.", as_json)


@member.command("list")
@click.argument("matter")
@json_option
@runs
async def list_members(matter: str, as_json: bool) -> None:
    """List the members of a matter."""
    async with session() as s:
        found = await list_matter_members(s.services.store, s.caller, matter)
    show(found, "\n".join(f"{m['email']}  {m['role']}" for m in found), as_json)
