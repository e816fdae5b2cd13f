"""Prepares a run for a request: matters, thread and files, each checked against the caller's access."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from orderly.api.callers import token_of
from orderly.api.chat_workspaces import listening_address
from orderly.api.responses.events import Event
from orderly.api.responses.input_files import add_files
from orderly.api.responses.requests import ResponseRequest
from orderly.api.responses.runs import StartingPoint, own_server_client, respond, starting_point
from orderly.models import Caller
from orderly.wiring.services import Services


@dataclass(frozen=True, slots=True)
class PreparedRun:
    services: Services
    caller: Caller
    body: ResponseRequest
    matter_ids: Sequence[str]
    start: StartingPoint
    address: str
    token: str

    async def events(self) -> AsyncIterator[tuple[Event, dict[str, Any]]]:
        """Runs the graph; yields each event with the current response object."""
        async with own_server_client(self.address, self.token) as client:
            async for item in respond(self.services, self.caller, client, self.body, self.matter_ids, self.start):
                yield item


async def prepare_run(request: Request, services: Services, caller: Caller, body: ResponseRequest) -> PreparedRun:
    """Reads the request, finds or creates its thread, and adds its files to the conversation.

    Raises NotFound for a matter, document or conversation that the caller may not see, and Invalid for unusable input or files.
    """
    asked = body.asked()
    matter_ids = [(await services.library.matter(caller, ref))["id"] for ref in body.matters]
    address, token = listening_address(request), token_of(request, services)
    async with own_server_client(address, token) as client:
        start = await starting_point(services, caller, client, body)
    if asked.files:
        added = await add_files(request, services, caller, start.thread_id, asked.files)
        matter_ids = list(dict.fromkeys([*matter_ids, *added.matter_ids]))
        if matter_ids and added.workspace_id:  # without any matter, the conversation's own files come first
            matter_ids.append(added.workspace_id)
    return PreparedRun(services, caller, body, matter_ids, start, address, token)
