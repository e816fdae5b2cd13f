"""Files inside the user's messages, in the notations of LangChain, OpenAI, Anthropic and Google.

A file becomes a document of the conversation, with the checks of any upload; the message keeps a reference to it. So neither
the server's record of runs nor a checkpoint holds a file, and what is purged is gone.
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.files import visible_name
from orderly.services.ingestion import Registrar, add_contents
from orderly.services.library import Library
from orderly.store.functions.documents import get_document

MOST_FILES = 10
"""Files in the messages of one request."""

REFERENCE = "file_id"
"""Key of a block that names a document of the conversation."""

NO_ADDRESSES = "Send the content of a file (Base64). This server fetches nothing from addresses."
NO_CONVERSATION = "A file belongs to a conversation: create a thread, and send the message there."
NOT_OF_CONVERSATION = (
    "A message can name only documents of its conversation. For others, give the run their matter (matter_id)."
)

_TEXT_KINDS = frozenset({"text", "input_text", "output_text"})
_NESTED = ("file", "source", "image_url", "input_audio", "metadata", "extras")
"""Keys of mappings inside a block, which hold the content or the name."""

_CONTENT = ("base64", "data", "file_data")
_ADDRESS = ("url", "image_url", "file_url")
_MEDIA_TYPE = ("mime_type", "mimeType", "media_type", "mediaType")
_NAME = ("filename", "name", "title")
_ID = ("file_id", "fileId", "id")


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as a client sent it: the content, or the id of a document."""

    name: str
    encoded: str = ""
    """Base64."""
    document_id: str | None = None

    def content(self) -> bytes:
        """Raises Invalid for what is not Base64."""
        try:
            return base64.b64decode(self.encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise Invalid(f"The content of {self.name} is not Base64.") from error


def sent_file(block: Any) -> SentFile | None:
    """The file of a block; None: it is text. Raises Invalid for an address, and for a block with neither file nor text."""
    if not isinstance(block, Mapping) or block.get("type") in _TEXT_KINDS:
        return None
    places = [block, *(block[key] for key in _NESTED if isinstance(block.get(key), Mapping))]
    address = _first(places, _ADDRESS)
    head, _, from_url = address.removeprefix("data:").partition(",") if address.startswith("data:") else ("", "", "")
    content = from_url or _first(places, _CONTENT)
    if content.startswith("data:"):
        head, _, content = content.removeprefix("data:").partition(",")
    kind = _first(places, _MEDIA_TYPE) or head.partition(";")[0]
    bare = _first(places, _NAME).replace("\\", "/").rpartition("/")[2]
    name = visible_name(bare or f"file{mimetypes.guess_extension(kind) or ''}")
    text = block.get("text")
    if content:
        return SentFile(name, content)
    if address:
        raise Invalid(NO_ADDRESSES)
    if named := _first(places, (REFERENCE,)) or (_first(places, _ID) if block.get("source_type") == "id" else ""):
        return SentFile(name, document_id=named)
    if isinstance(text, str) and ("source_type" in block or block.get("type") == "text-plain"):
        named = name if "." in name else f"{name}.txt"
        return SentFile(named, base64.b64encode(text.encode()).decode())
    if isinstance(text, str):
        return None
    raise Invalid(f"A block of type {str(block.get('type'))[:50]} cannot be read here: send text, or a file as Base64.")


def characters(content: Any) -> int:
    """Length of a message's content without the contents of its files, which have limits of their own."""
    if not isinstance(content, list):
        return len(str(content))
    return sum(0 if (sent := _file_or_none(block)) and sent.encoded else len(str(block)) for block in content)


def has_files(values: Any) -> bool:
    """Whether messages hold files, as contents or as references."""
    return any(sent_file(block) for message in _messages(values) for block in _blocks(message))


async def store_files(registrar: Registrar, library: Library, caller: Caller, values: Any) -> Any:
    """Makes the files of the messages documents of the caller's conversation. Returns the values with references to them.

    Raises:
        Invalid: Content that is not Base64, an address, too many files, no conversation, or a document of elsewhere.
        NotFound: A document that the caller may not see.
        OrderlyError: As `Registrar.register`.
    """
    if not has_files(values):
        return values
    if not caller.thread_id:
        raise Invalid(NO_CONVERSATION)
    files = [sent for message in _messages(values) for block in _blocks(message) if (sent := sent_file(block))]
    if len(files) > MOST_FILES:
        raise Invalid(f"One request takes at most {MOST_FILES} files.")
    contents = [(sent.name, sent.content()) for sent in files if sent.document_id is None]
    workspace = await library.workspace(caller, make=bool(contents))
    for sent in files:
        if sent.document_id is not None:
            document = await get_document(registrar.store, caller, sent.document_id)
            if workspace is None or document["matter_id"] != workspace["id"]:
                raise Invalid(NOT_OF_CONVERSATION)
    added = await add_contents(registrar, caller, workspace["id"], contents) if workspace else []
    stored = iter(added)
    return {**values, "messages": [_referring(message, stored) for message in _messages(values)]}


def _referring(message: Any, stored: Iterator[str]) -> Any:
    """The message with references in place of contents. `stored`: ids of the documents, in the order of the contents."""
    if not _blocks(message):
        return message
    content = [
        {"type": "file", REFERENCE: sent.document_id or next(stored)} if (sent := sent_file(block)) else block
        for block in _blocks(message)
    ]
    return {**message, "content": content}


def _messages(values: Any) -> Sequence[Any]:
    return values["messages"] if isinstance(values, Mapping) and isinstance(values.get("messages"), list) else ()


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, Mapping) else None
    return content if isinstance(content, list) else []


def _file_or_none(block: Any) -> SentFile | None:
    try:
        return sent_file(block)
    except Invalid:
        return None


def _first(places: Sequence[Any], keys: Sequence[str]) -> str:
    """The first text under one of the keys."""
    return next((v for place in places for key in keys if isinstance(v := place.get(key), str) and v), "")
