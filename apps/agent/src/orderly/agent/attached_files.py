"""Files of a message in a run: waits until they are read, and names them in the message's text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from orderly.agent.chat_models.attached_note import with_note
from orderly.agent.middleware.run_context import RunContext
from orderly.errors import MatterNotFound
from orderly.models import PENDING_STATUSES, Caller
from orderly.services.ingestion import wait_until_read
from orderly.sign_in.message_files import has_files, sent_file, store_files
from orderly.store.functions.documents import FullDocument
from orderly.wiring.services import Services

READ = ("ready", "partial")


@dataclass(frozen=True, slots=True)
class WithFiles:
    values: Any
    """Values whose messages are text."""
    workspace_id: str | None
    """The conversation's private matter, if the messages have files."""


async def read_files(services: Services, caller: Caller, values: Any) -> WithFiles:
    """Replaces the files of messages by their names, once they are read. Raises as `store_files`."""
    if not has_files(values):
        return WithFiles(values, None)
    stored = await store_files(services.registrar, services.library, caller, values)
    messages = [await _with_names(services, caller, message) for message in stored["messages"]]
    workspace = await services.library.workspace(caller)
    return WithFiles({**values, "messages": messages}, workspace["id"] if workspace else None)


async def _with_names(services: Services, caller: Caller, message: Any) -> Any:
    content = message["content"]
    if not isinstance(content, list):
        return message
    ids = [sent.document_id for block in content if (sent := sent_file(block)) and sent.document_id]
    if not ids:
        return message
    documents = await wait_until_read(services.store, caller, ids)
    text = "\n".join(_text(block) for block in content if not sent_file(block))
    return {**message, "content": with_note(text, [_describe(document) for document in documents])}


def _text(block: Any) -> str:
    return block if isinstance(block, str) else str(block.get("text") or "")


def _describe(document: FullDocument) -> str:
    name = document["filename"].replace("]", ")")
    if document["status"] in READ:
        return name
    if document["status"] in PENDING_STATUSES:
        return f"{name} (still being read)"
    return f"{name} (could not be read: {' '.join(document['status_reason'].split()) or 'no text'})"


async def with_workspace(services: Services, caller: Caller, context: Any, workspace_id: str) -> Any:
    """The run's context, with the conversation's own files beside its matters. Without a matter, they are what is asked."""
    values = dict(vars(context)) if isinstance(context, RunContext) else dict(context or {})
    named = values.get("matter_ids") or ([values["matter_id"]] if values.get("matter_id") else [])
    if not named:
        return context
    try:
        matters = [(await services.library.matter(caller, str(ref)))["id"] for ref in named]
    except MatterNotFound:
        return context  # the run says so itself
    values.update(matter_id=None, matter_ids=list(dict.fromkeys([*matters, workspace_id])))
    return replace(context, **values) if isinstance(context, RunContext) else values
