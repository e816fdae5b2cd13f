"""Which tools the firm grants to its programs. Administrators of the firm alone change them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from orderly.agent.tools import ALL_TOOLS, OTHER_NAMES
from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.errors import NotFound
from orderly.store.functions.firm import grant_tool

router = APIRouter(prefix="/api/admin/definitions/clients/{client_id}/functions", tags=["grants"], responses=answers(403, 404))

Client = Annotated[
    Literal["orderly", "mcp"],
    Path(description='"orderly": the agents, through whichever door they are asked. "mcp": clients of that protocol.'),
]


class Function(BaseModel):
    function_name: str
    description: str
    category: Literal["document"] = "document"
    granted: bool


class Grant(BaseModel):
    function_name: str = Field(max_length=64, description="A tool, by its name or by the one that document platforms use.")


class Granted(BaseModel):
    client_id: str
    function_name: str
    category: Literal["document"] = "document"
    granted: bool


@router.get("")
async def list_functions(client_id: Client, caller: SignedIn, held: Held) -> list[Function]:
    """Every tool, and whether the client has it."""
    withheld = await held.library.withheld_tools(caller, client_id)
    return [
        Function(function_name=tool.name, description=tool.description.split("\n")[0], granted=tool.name not in withheld)
        for tool in ALL_TOOLS
    ]


@router.post("")
async def grant(client_id: Client, body: Grant, caller: SignedIn, held: Held) -> Granted:
    """Grant a tool. Runs that begin from now on have it."""
    return await _decided(held, caller, client_id, body.function_name, granted=True)


@router.delete("/{function_name}")
async def withhold(client_id: Client, function_name: str, caller: SignedIn, held: Held) -> Granted:
    """Take a tool away. For runs that begin from now on it does not exist."""
    return await _decided(held, caller, client_id, function_name, granted=False)


async def _decided(held: Any, caller: Any, client_id: str, name: str, *, granted: bool) -> Granted:
    tool = OTHER_NAMES.get(name, name)
    if tool not in {known.name for known in ALL_TOOLS}:
        raise NotFound(f"There is no function {name!r}.")
    return Granted.model_validate(await grant_tool(held.store, caller, client_id, tool, granted=granted))
