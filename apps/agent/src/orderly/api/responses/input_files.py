"""Files in the input of a response: contents become documents of the conversation, ids name documents that are there."""

from __future__ import annotations

import asyncio
import base64
import binascii
import mimetypes
import time
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request

from orderly.api.chat_workspaces import Chat, require_chat
from orderly.api.multipart import file_name
from orderly.api.responses.input_items import FilePart, ImagePart
from orderly.errors import Invalid, NotReady
from orderly.models import PENDING_STATUSES, Caller
from orderly.services.files import open_spool
from orderly.services.ingestion import Choice
from orderly.store.functions.documents import get_document
from orderly.wiring.services import Services

READING_SECONDS = 120
"""How long a request waits until its files are read."""
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class AddedFiles:
    workspace_id: str | None
    """The conversation's private matter, if files were added to it."""
    matter_ids: tuple[str, ...]
    """Matters of the documents that the input names by id."""


async def add_files(
    request: Request, services: Services, caller: Caller, thread_id: str, files: Sequence[FilePart | ImagePart]
) -> AddedFiles:
    """Adds the files and waits until they are read.

    Raises:
        Invalid: an address instead of content, content that is not Base64, or a file that cannot be read.
        NotFound: a document that the caller may not read.
        NotReady: a file is still being read.
    """
    named = [await get_document(services.store, caller, part.file_id) for part in files if part.file_id]
    contents = [_content(part) for part in files if not part.file_id]
    if not contents:
        return AddedFiles(None, tuple(dict.fromkeys(document["matter_id"] for document in named)))
    chat = await require_chat(request, services, caller, thread_id, make=True)
    added = [await _register(services, chat, name, content) for name, content in contents]
    await _wait_until_read(services, chat.caller, added, thread_id)
    return AddedFiles(chat.workspace["id"], tuple(dict.fromkeys(document["matter_id"] for document in named)))


def _content(part: FilePart | ImagePart) -> tuple[str, bytes]:
    """Name and bytes of a part."""
    sent = part.image_url if isinstance(part, ImagePart) else part.file_data
    if not sent:
        raise Invalid("A file needs file_data (Base64) or file_id. This server fetches nothing from addresses.")
    kind, data = _split_data_url(sent)
    if kind is None and isinstance(part, ImagePart):
        raise Invalid("A picture is sent as data:image/…;base64,…. This server fetches nothing from addresses.")
    name = (part.filename if isinstance(part, FilePart) else None) or f"file{mimetypes.guess_extension(kind or '') or ''}"
    try:
        return file_name(name), base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise Invalid(f"The content of {name} is not Base64.") from error


def _split_data_url(sent: str) -> tuple[str | None, str]:
    """Media type, or None for bare Base64, and the Base64 text."""
    if not sent.startswith("data:"):
        return None, sent
    head, _, data = sent.removeprefix("data:").partition(",")
    return head.partition(";")[0], data


async def _register(services: Services, chat: Chat, name: str, content: bytes) -> str:
    async with open_spool(name, services.settings.max_file_mb) as spool:
        await asyncio.to_thread(spool.write, content)
        await asyncio.to_thread(spool.finish)
        registered = await services.registrar.register(chat.caller, chat.workspace["id"], spool, Choice("skip"))
    return registered.document["id"]


async def _wait_until_read(services: Services, caller: Caller, document_ids: Sequence[str], thread_id: str) -> None:
    deadline = time.monotonic() + READING_SECONDS
    for document_id in document_ids:
        document = await get_document(services.store, caller, document_id)
        while document["status"] in PENDING_STATUSES:
            if time.monotonic() > deadline:
                raise NotReady(f"{document['filename']} is still being read. Ask again in the conversation {thread_id}.")
            await asyncio.sleep(POLL_SECONDS)
            document = await get_document(services.store, caller, document_id)
        if document["status"] not in ("ready", "partial"):
            raise Invalid(f"{document['filename']} could not be read. {document['status_reason']}".strip())
