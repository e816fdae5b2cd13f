from __future__ import annotations

import click

from orderly.agent.tools import CLIENT_TOOLS, OTHER_NAMES, Client
from orderly.cli.session import json_option, runs, session, show
from orderly.errors import NotFound
from orderly.store.functions.firm import ToolGrant, grant_tool

client_option = click.option(
    "--client",
    type=click.Choice(["orderly", "mcp"]),
    default="orderly",
    show_default=True,
    help='"orderly": the agents, through every door. "mcp": clients of the MCP server.',
)


@click.group("tools")
def tools() -> None:
    """Which tools the firm grants to its agents and programs."""


@tools.command("list")
@client_option
@json_option
@runs
async def listing(client: Client, as_json: bool) -> None:
    """List the tools that the client can have, and whether the client has it."""
    async with session() as s:
        withheld = await s.services.library.withheld_tools(s.caller, client)
    found = [
        {"function_name": t.name, "description": t.description.split("\n")[0], "granted": t.name not in withheld}
        for t in CLIENT_TOOLS[client]
    ]
    lines = [f"{'✓' if row['granted'] else '✗'} {row['function_name']}: {row['description']}" for row in found]
    show(found, "\n".join(lines), as_json)


@tools.command("grant")
@click.argument("name")
@client_option
@json_option
@runs
async def grant(name: str, client: Client, as_json: bool) -> None:
    """Grant a tool. Runs that begin from now on have it."""
    made = await _decide(client, name, granted=True)
    show(made, f"{made['client_id']} has {made['function_name']}.", as_json)


@tools.command("withhold")
@click.argument("name")
@client_option
@json_option
@runs
async def withhold(name: str, client: Client, as_json: bool) -> None:
    """Take a tool away. For runs that begin from now on it does not exist."""
    made = await _decide(client, name, granted=False)
    show(made, f"{made['client_id']} no longer has {made['function_name']}.", as_json)


async def _decide(client: Client, name: str, *, granted: bool) -> ToolGrant:
    """Raises NotFound for a name that no tool has, and Denied for people who are not administrators."""
    tool = OTHER_NAMES.get(name, name)
    if tool not in {known.name for known in CLIENT_TOOLS[client]}:
        raise NotFound(f"There is no tool {name!r} for the client {client}.")
    async with session() as s:
        return await grant_tool(s.services.store, s.caller, client, tool, granted=granted)
