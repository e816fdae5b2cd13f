from __future__ import annotations

import click

from orderly.cli.session import json_option, runs, session, show


@click.group()
def folders() -> None:
    """Folders of a matter. `orderly browse MATTER` lists them."""


@folders.command("create")
@click.argument("matter")
@click.argument("name")
@click.option("--in", "parent", default=None, help="Id of the parent folder; default: the top of the matter.")
@json_option
@runs
async def create(matter: str, name: str, parent: str | None, as_json: bool) -> None:
    """Create a folder."""
    async with session() as s:
        made = await s.services.navigation.create_folder(s.caller, matter, name, parent)
    show(made, f"Created {made['name']}\nID: {made['id']}", as_json)


@folders.command("rename")
@click.argument("folder_id")
@click.argument("name")
@json_option
@runs
async def rename(folder_id: str, name: str, as_json: bool) -> None:
    """Rename a folder."""
    async with session() as s:
        changed = await s.services.navigation.rename_folder(s.caller, folder_id, name)
    show(changed, f"Renamed to {changed['name']}", as_json)


@folders.command("move")
@click.argument("folder_id")
@click.argument("parent", required=False)
@json_option
@runs
async def move(folder_id: str, parent: str | None, as_json: bool) -> None:
    """Move a folder into another folder; without PARENT, to the top of its matter."""
    async with session() as s:
        changed = await s.services.navigation.move_folder(s.caller, folder_id, parent)
    show(changed, f"Moved {changed['name']}", as_json)


@folders.command("remove")
@click.argument("folder_id")
@json_option
@runs
async def remove(folder_id: str, as_json: bool) -> None:
    """Remove an empty folder."""
    async with session() as s:
        removed = await s.services.navigation.delete_folder(s.caller, folder_id)
    show(removed, f"Removed {removed['name']}", as_json)


@folders.command("put")
@click.argument("document_id")
@click.argument("folder_id", required=False)
@json_option
@runs
async def put(document_id: str, folder_id: str | None, as_json: bool) -> None:
    """Move a document into a folder of its matter; without FOLDER_ID, to the top."""
    async with session() as s:
        moved = await s.services.navigation.move_document(s.caller, document_id, folder_id)
    show({k: v for k, v in moved.items() if k != "storage_key"}, f"Moved {moved['filename']}", as_json)
