"""Tools that the firm grants to the agents and to MCP clients; administrators change the grants."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from orderly.agent.tools import CLIENT_TOOLS, OTHER_NAMES
from orderly.agent.tools import Client as ClientId
from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.errors import NotFound
from orderly.store.functions.firm import grant_tool

router = APIRouter(
    prefix="/api/admin/definitions/clients/{client_id}/functions", tags=["grants"], responses=error_responses(403, 404)
)

Client = Annotated[
    ClientId,
    Path(description='"orderly": the agents, through every interface. "mcp": MCP clients.'),
]


class Function(BaseModel):
    function_name: str
    description: str
    category: Literal["document"] = "document"
    granted: bool


class Grant(Body):
    function_name: str = Field(max_length=64, description="Name of a tool, or its name in other document platforms.")


class Granted(BaseModel):
    client_id: str
    function_name: str
    category: Literal["document"] = "document"
    granted: bool


@router.get("")
async def list_functions(client_id: Client, caller: SignedIn, services: CurrentServices) -> list[Function]:
    """List the tools that the client can have, and whether each is granted."""
    withheld = await services.library.withheld_tools(caller, client_id)
    return [
        Function(
            function_name=tool.name,
            description=" ".join(tool.description.split("\n\n")[0].split()),
            granted=tool.name not in withheld,
        )
        for tool in CLIENT_TOOLS[client_id]
    ]


@router.post("")
async def grant(client_id: Client, body: Grant, caller: SignedIn, services: CurrentServices) -> Granted:
    """Grant a tool, for runs that start from now on."""
    return await _set_grant(services, caller, client_id, body.function_name, granted=True)


@router.delete("/{function_name}")
async def withhold(client_id: Client, function_name: str, caller: SignedIn, services: CurrentServices) -> Granted:
    """Withhold a tool from runs that start from now on."""
    return await _set_grant(services, caller, client_id, function_name, granted=False)


async def _set_grant(services: Any, caller: Any, client_id: ClientId, name: str, *, granted: bool) -> Granted:
    tool = OTHER_NAMES.get(name, name)
    if tool not in {known.name for known in CLIENT_TOOLS[client_id]}:
        raise NotFound(f"There is no function {name!r}.")
    return Granted.model_validate(await grant_tool(services.store, caller, client_id, tool, granted=granted))
