"""Prepares a run for a request: matters, thread and files, each checked against the caller's access."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from orderly.api.callers import token_of
from orderly.api.chat_workspaces import listening_address
from orderly.api.responses.events import Event
from orderly.api.responses.filters import Filter
from orderly.api.responses.input_files import add_files
from orderly.api.responses.requests import ResponseRequest
from orderly.api.responses.runs import StartingPoint, own_server_client, respond, starting_point
from orderly.errors import Invalid
from orderly.models import Caller
from orderly.store.functions.documents import list_documents
from orderly.wiring.services import Services


@dataclass(frozen=True, slots=True)
class PreparedRun:
    services: Services
    caller: Caller
    body: ResponseRequest
    matter_ids: Sequence[str]
    document_ids: Sequence[str] | None
    """Ids of the documents that the filters leave; None without filters."""
    start: StartingPoint
    address: str
    token: str

    async def events(self) -> AsyncIterator[tuple[Event, dict[str, Any]]]:
        """Runs the graph; yields each event with the current response object."""
        async with own_server_client(self.address, self.token) as client:
            async for item in respond(
                self.services, self.caller, client, self.body, self.matter_ids, self.document_ids, self.start
            ):
                yield item


async def prepare_run(request: Request, services: Services, caller: Caller, body: ResponseRequest) -> PreparedRun:
    """Reads the request, finds or creates its thread, and adds its files to the conversation.

    Raises NotFound for a matter, document or conversation that the caller may not see, and Invalid for unusable input or files.
    """
    asked = body.asked()
    matter_ids = [(await services.library.matter(caller, ref))["id"] for ref in body.matters]
    document_ids = await _filtered(services, caller, body.filters, matter_ids) if body.filters else None
    address, token = listening_address(request), token_of(request, services)
    async with own_server_client(address, token) as client:
        start = await starting_point(services, caller, client, body)
    if asked.files and body.filters:
        raise Invalid("Files in the input are not filtered: leave out the filters, or the files.")
    if asked.files:
        added = await add_files(request, services, caller, start.thread_id, asked.files)
        matter_ids = list(dict.fromkeys([*matter_ids, *added.matter_ids]))
        if matter_ids and added.workspace_id:  # without any matter, the conversation's own files come first
            matter_ids.append(added.workspace_id)
    return PreparedRun(services, caller, body, matter_ids, document_ids, start, address, token)


async def _filtered(services: Services, caller: Caller, filters: Filter, matter_ids: Sequence[str]) -> list[str]:
    """Ids of the documents that match the filters. Raises Invalid where no matter is named, or no document matches."""
    if not matter_ids:
        raise Invalid("Filters need the matters to search: name them in vector_store_ids.")
    found = [await list_documents(services.store, caller, matter_id) for matter_id in matter_ids]
    ids = [document["id"] for each in found for document in each["documents"] if filters.matches(document)]
    if not ids:
        raise Invalid("No document matches the filters.")
    return ids
