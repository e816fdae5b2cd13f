"""Files in the input of a response: contents become documents of the conversation, ids name documents that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request

from orderly.api.chat_workspaces import require_chat
from orderly.api.responses.input_items import FilePart, ImagePart
from orderly.errors import Invalid, NotReady
from orderly.models import PENDING_STATUSES, Caller
from orderly.services.ingestion import add_contents, wait_until_read
from orderly.sign_in.message_files import sent_file
from orderly.store.functions.documents import get_document
from orderly.wiring.services import Services


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
    sent = [found for part in files if (found := sent_file(part.model_dump(exclude_none=True)))]
    named = [await get_document(services.store, caller, file.document_id) for file in sent if file.document_id]
    contents = [(file.name, file.content()) for file in sent if not file.document_id]
    matter_ids = tuple(dict.fromkeys(document["matter_id"] for document in named))
    if not contents:
        return AddedFiles(None, matter_ids)
    chat = await require_chat(request, services, caller, thread_id)
    added = await add_contents(services.registrar, chat.caller, chat.workspace["id"], contents)
    for document in await wait_until_read(services.store, chat.caller, added):
        if document["status"] in PENDING_STATUSES:
            raise NotReady(f"{document['filename']} is still being read. Ask again in the conversation {thread_id}.")
        if document["status"] not in ("ready", "partial"):
            raise Invalid(f"{document['filename']} could not be read. {document['status_reason']}".strip())
    return AddedFiles(chat.workspace["id"], matter_ids)
