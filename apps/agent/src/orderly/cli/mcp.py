from __future__ import annotations

import click
from mcp.server.stdio import stdio_server

from orderly.cli.session import runs, session
from orderly.mcp.server import mcp_server
from orderly.models import Caller


@click.command()
@runs
async def mcp() -> None:
    """Serve the document tools to an MCP client over standard input and output."""
    async with session() as s:

        async def session_caller(_: object) -> Caller:
            return s.caller

        server = mcp_server(session_caller)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
