"""A chat as a place for files: its thread on the server, and the private workspace that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import httpx
from fastapi import Request

from orderly.api.callers import token_of
from orderly.api.responses.runs import own_server
from orderly.errors import NotFound, StoreUnavailable
from orderly.models import Caller
from orderly.store.functions.matters import Matter
from orderly.wiring.services import Services


@dataclass(frozen=True, slots=True)
class Chat:
    caller: Caller
    """With the chat's thread, which opens its workspace and no other."""
    workspace: Matter


async def chat(request: Request, held: Services, caller: Caller, chat_id: str, *, make: bool = False) -> Chat:
    """The caller's chat with its workspace, made on first use. Raises NotFound, also while there is none and not `make`."""
    found = await find_chat(request, held, caller, chat_id, make=make)
    if found.workspace is None:
        raise missing(chat_id)
    return Chat(found.caller, found.workspace)


@dataclass(frozen=True, slots=True)
class Found:
    caller: Caller
    workspace: Matter | None


async def find_chat(request: Request, held: Services, caller: Caller, chat_id: str, *, make: bool = False) -> Found:
    """The caller's chat; without a workspace where no file was ever sent. Raises NotFound for another one's, and for none."""
    if not chat_id.isprintable() or len(chat_id) > 200:
        raise missing(chat_id)
    acting = replace(caller, thread_id=chat_id)
    workspace = await held.library.workspace(acting)
    if workspace is None:
        # Who owns a thread is for the server that keeps it to say.
        await _own_thread(request, chat_id)
        if make:
            workspace = await held.library.workspace(acting, make=True)
    return Found(acting, workspace)


def missing(chat_id: str) -> NotFound:
    return NotFound(f"Chat {chat_id} not found or you don't have access.")


def own_address(request: Request) -> str:
    """Where this server listens. Never what the request says of it: a header must not choose who receives the token."""
    server = request.scope.get("server")
    assert server, "the server listens on a TCP port"
    host, port = server
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _own_thread(request: Request, chat_id: str) -> None:
    async with own_server(own_address(request), token_of(request)) as server:
        try:
            await server.threads.get(chat_id)
        except httpx.HTTPStatusError as error:
            if error.response.status_code >= 500:
                raise StoreUnavailable("The chats cannot be reached just now.") from error
            raise missing(chat_id) from error
        except httpx.HTTPError as error:
            raise StoreUnavailable("The chats cannot be reached just now.") from error
