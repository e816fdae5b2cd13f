"""Finds a chat's private workspace and checks that its thread belongs to the caller."""

from __future__ import annotations

from dataclasses import dataclass, replace

import httpx
from fastapi import Request

from orderly.api.callers import token_of
from orderly.api.responses.runs import own_server_client
from orderly.errors import NotFound, StoreUnavailable
from orderly.models import Caller
from orderly.store.functions.matters import Matter
from orderly.wiring.services import Services


@dataclass(frozen=True, slots=True)
class Chat:
    caller: Caller
    """With the chat's thread id, which gives access to the workspace of this thread only."""
    workspace: Matter


async def require_chat(request: Request, services: Services, caller: Caller, chat_id: str) -> Chat:
    """Returns the caller's chat with its workspace, which is created on first use. Raises NotFound for another user's chat."""
    found = await find_chat(request, services, caller, chat_id, make=True)
    if found.workspace is None:
        raise chat_not_found(chat_id)
    return Chat(found.caller, found.workspace)


@dataclass(frozen=True, slots=True)
class FoundChat:
    caller: Caller
    workspace: Matter | None
    """None before the first file."""


async def find_chat(request: Request, services: Services, caller: Caller, chat_id: str, *, make: bool = False) -> FoundChat:
    """Returns the caller's chat. Raises NotFound for an unknown chat and for another user's."""
    if not chat_id.isprintable() or len(chat_id) > 200:
        raise chat_not_found(chat_id)
    acting = replace(caller, thread_id=chat_id)
    workspace = await services.library.workspace(acting)
    if workspace is None or not workspace["document_count"]:
        # The LangGraph server stores the threads, and knows their owners and whether they were deleted.
        await _require_own_thread(request, services, chat_id)
        if make and workspace is None:
            workspace = await services.library.workspace(acting, make=True)
    return FoundChat(acting, workspace)


def chat_not_found(chat_id: str) -> NotFound:
    return NotFound(f"Chat {chat_id} not found or you don't have access.")


def listening_address(request: Request) -> str:
    """URL of the socket this server listens on. A Host header must not choose where the caller's token is sent."""
    server = request.scope.get("server")
    assert server, "the server listens on a TCP port"
    host, port = server
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _require_own_thread(request: Request, services: Services, chat_id: str) -> None:
    async with own_server_client(listening_address(request), token_of(request, services)) as server:
        try:
            await server.threads.get(chat_id)
        except httpx.HTTPStatusError as error:
            if error.response.status_code >= 500:
                raise StoreUnavailable("The chats cannot be reached just now.") from error
            raise chat_not_found(chat_id) from error
        except httpx.HTTPError as error:
            raise StoreUnavailable("The chats cannot be reached just now.") from error
