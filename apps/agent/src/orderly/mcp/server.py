"""The Model Context Protocol server: tools for documents and reviews as tools, documents and pages as resources.

A tool call of a client runs the same tool object as a call of an agent, with a caller sealed by this server.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from urllib.parse import quote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from orderly.agent.tools import CLIENT_TOOLS, Client
from orderly.errors import OrderlyError
from orderly.models import Caller
from orderly.sign_in.identity import USER_KEY, seal
from orderly.version import version
from orderly.wiring.services import current_services

Context = ServerRequestContext[Any, Any]
Authenticate = Callable[[Context], Awaitable[Caller]]
"""Returns the caller of a request: over HTTP from the bearer token, over stdio the user of the terminal. Raises Denied."""

Gone = Callable[[Context], asyncio.Event]

INSTRUCTIONS = (
    "Documents of a law firm's matters. Start with list_matters and list_matter_documents; every id that a tool prints is "
    "accepted by the tools that take one. Quote only what a tool returned, with its document, section and page. A review puts "
    "the question of each column to every document: make_review, run_review, then read_review. Verdicts are the user's own."
)

CLIENT: Client = "mcp"
"""Id of MCP clients in the firm's grants."""

TOOLS = {tool.name: tool for tool in CLIENT_TOOLS[CLIENT]}

CHANGING = frozenset({"make_review", "add_review_columns", "run_review", "judge_cell"})
"""Tools that change something: a client asks its user before it calls one."""

LISTING = frozenset({"list_matters", "list_matter_documents"})
READING = frozenset({"get_document_text"})
"""Tools that give what listing and reading resources give: where one is withheld, so is its resource."""

_DOCUMENT = re.compile(r"orderly://documents/([0-9a-fA-F-]{36})(?:/pages/([1-9][0-9]{0,5}))?")


def mcp_server(authenticate: Authenticate, gone: Gone | None = None) -> Server[Any]:
    """Creates the server for any transport.

    Args:
        authenticate: Returns the caller of a request, which depends on the transport.
        gone: Returns the event that is set when the client of a request has gone; None: the transport does not say.
    """

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return await _tools(await authenticate(context))

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = _call(await authenticate(context), params.name, params.arguments or {})
        return await (call if gone is None else _while_awaited(call, gone(context)))

    async def list_resources(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return await _documents(await authenticate(context), params.cursor if params else None)

    async def list_templates(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return await _templates(await authenticate(context))

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await _read(await authenticate(context), params.uri)

    return Server(
        "orderly",
        version=version(),
        title="Orderly",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


async def _while_awaited(call: Coroutine[Any, Any, types.CallToolResult], gone: asyncio.Event) -> types.CallToolResult:
    """Cancels the call when its client has gone."""
    working, leaving = asyncio.create_task(call), asyncio.create_task(gone.wait())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise MCPError(types.INTERNAL_ERROR, "The client closed the connection.")
        return await working
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _granted_tools(caller: Caller) -> dict[str, Any]:
    """Tools by name, without those that the firm withholds from MCP clients."""
    withheld = await (await current_services()).library.withheld_tools(caller, CLIENT)
    return {name: tool for name, tool in TOOLS.items() if name not in withheld}


async def _tools(caller: Caller) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, description=tool.description, input_schema=_schema(tool), annotations=_annotations(name))
            for name, tool in (await _granted_tools(caller)).items()
        ]
    )


def _annotations(name: str) -> types.ToolAnnotations:
    # Nothing is lost by a change: a verdict can be withdrawn, and a review keeps its answers.
    return types.ToolAnnotations(read_only_hint=name not in CHANGING, destructive_hint=False, open_world_hint=False)


def _schema(tool: Any) -> dict[str, Any]:
    """JSON schema of the arguments that a model may send, without injected arguments."""
    schema: dict[str, Any] = tool.tool_call_schema.model_json_schema()
    return {"type": "object", "properties": schema.get("properties", {}), "required": schema.get("required", [])}


async def _call(caller: Caller, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    tool: Any = (await _granted_tools(caller)).get(name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no tool {name!r}.")
    if unknown := sorted(set(arguments) - set(_schema(tool)["properties"])):
        return _failed(f"Error: {name} has no argument {', '.join(unknown)}.")
    try:
        tool.tool_call_schema.model_validate(arguments)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_input=False))
        return _failed(f"Error: {problems}")
    services = await current_services()
    config = {"configurable": {USER_KEY: seal(caller.user_id, services.secret, matters=caller.kept_to)}}
    message = await tool.ainvoke({"type": "tool_call", "name": name, "args": arguments, "id": "mcp"}, config)
    return types.CallToolResult(
        content=[_block(block) for block in message.content_blocks],
        structured_content={"citations": message.artifact or []},
        is_error=message.status == "error",
    )


def _block(block: Any) -> types.ContentBlock:
    if block["type"] == "image":
        return types.ImageContent(data=block["base64"], mime_type=block["mime_type"])
    if block["type"] == "file":
        uri = f"orderly://exports/{quote(block['extras']['filename'], safe='')}"
        file = types.BlobResourceContents(uri=uri, blob=block["base64"], mime_type=block["mime_type"])
        return types.EmbeddedResource(resource=file)
    return types.TextContent(text=block["text"])


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


async def _documents(caller: Caller, cursor: str | None) -> types.ListResourcesResult:
    """Lists the documents of one matter per page. The cursor is the number of the next matter."""
    if not (await _granted_tools(caller)).keys() >= LISTING:
        return types.ListResourcesResult(resources=[])
    library = (await current_services()).library
    matters = await library.matters(caller)
    numbers = [m["number"] for m in matters]
    if cursor is not None and cursor not in numbers:
        raise MCPError(types.INVALID_PARAMS, "That place in the list is gone; list from the start.")
    if not numbers:
        return types.ListResourcesResult(resources=[])
    at = numbers.index(cursor) if cursor is not None else 0
    listing = await library.documents(caller, numbers[at])
    resources = [
        types.Resource(
            uri=f"orderly://documents/{d['id']}",
            name=d["filename"],
            description=f"Matter {numbers[at]} {listing.matter['title']}: {d['status']}",
            mime_type="text/plain",
        )
        for d in listing.documents
    ]
    return types.ListResourcesResult(resources=resources, next_cursor=numbers[at + 1] if at + 1 < len(numbers) else None)


async def _templates(caller: Caller) -> types.ListResourceTemplatesResult:
    if not (await _granted_tools(caller)).keys() >= READING:
        return types.ListResourceTemplatesResult(resource_templates=[])
    page = types.ResourceTemplate(
        uri_template="orderly://documents/{document_id}/pages/{number}",
        name="page",
        description="The text of one page of a document, as stored.",
        mime_type="text/plain",
    )
    return types.ListResourceTemplatesResult(resource_templates=[page])


async def _read(caller: Caller, uri: str) -> types.ReadResourceResult:
    named = _DOCUMENT.fullmatch(uri)
    if named is None or not (await _granted_tools(caller)).keys() >= READING:
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri}.")
    page = int(named[2]) if named[2] else None
    try:
        read = await (await current_services()).library.text(caller, named[1], page, page)
    except OrderlyError as error:
        raise MCPError(types.INVALID_PARAMS, error.message) from error
    text = "\n\n".join(part.text for part in read.parts)
    if not read.complete:
        text += f"\n\n[{read.total} pages in all; read on page by page: {uri}/pages/N]"
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)])
