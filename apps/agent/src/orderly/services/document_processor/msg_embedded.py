"""Converts messages attached to an Outlook message to e-mail files, since Outlook stores them inside the outer file.

Format: [MS-OXMSG] 2.2.2.1, embedded message objects.
"""

from __future__ import annotations

import email
import re
from collections.abc import Callable
from email.encoders import encode_base64
from email.message import Message as Mail
from email.mime.base import MIMEBase
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import formataddr, getaddresses
from typing import Any

from oxmsg import Message
from oxmsg.attachment import Attachment
from oxmsg.properties import Properties

from orderly.services.document_processor.eml import is_signed_part
from orderly.services.document_processor.protected_mail import PKCS7
from orderly.services.document_processor.signed_mail import signed_content

_STORAGE = "__substg1.0_3701000D"
_SIGNED_NAME = "smime.p7m"
"""File in which Outlook stores a message with its signature, whatever type it gives."""
_HEADER_BYTES = 24
"""Property header of an embedded message, 8 bytes shorter than that of a message file."""

_MIME_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)

MAX_DEPTH = 20
"""Most levels of nested messages."""

Head = Callable[[Message], list[tuple[str, str | None]]]
Body = Callable[[Message], tuple[str, str]]
"""The body and its kind."""


class _Embedded(Message):
    @property
    def properties(self) -> Properties:
        return Properties(self._storage, properties_header_offset=_HEADER_BYTES)


def embedded_message(part: Attachment) -> Message | None:
    """The message embedded in an attachment; None for other attachments."""
    whole: Any = part._storage
    return next((_Embedded(storage) for storage in whole.storages if storage.name == _STORAGE), None)


def to_mail(message: Message, head: Head, body: Body, depth: int = 1) -> tuple[Mail, int]:
    """Converts a message. Returns the e-mail and the number of attachments that could not be included.

    Uses Python's legacy e-mail interface, which accepts malformed header fields unchanged.
    """
    mail, lost = MIMEMultipart(), 0
    for name, value in head(message):
        if value and value.strip():
            mail[name] = _encode_header(" ".join(value.split()))
    if not (len(message.attachments) == 1 and _is_signed(message.attachments[0])):  # its text is in the file
        mail.attach(MIMEText(*body(message), "utf-8"))
    for number, part in enumerate(message.attachments, 1):
        inner = embedded_message(part)
        if part.file_bytes is not None:
            mail.attach(_attachment_part(part, number))
        elif inner is not None and depth < MAX_DEPTH:
            attached, more = to_mail(inner, head, body, depth + 1)
            mail.attach(MIMEMessage(attached))
            lost += more
        else:
            lost += 1
    return mail, lost


def _is_signed(part: Attachment) -> bool:
    data = part.file_bytes or b""
    return (part.file_name or "").lower() == _SIGNED_NAME and bool(is_signed_part(data) or signed_content(data))


def _encode_header(value: str) -> str:
    """Encodes non-ASCII display names separately from their addresses."""
    people = [] if value.isascii() else getaddresses([value])
    plain = all("@" in address and address.isascii() for _, address in people)
    return ", ".join(formataddr(person) for person in people) if people and plain else value


def _attachment_part(part: Attachment, number: int) -> Mail:
    """Converts a file attachment. Its name and type are untrusted: line breaks in them would end the header.

    The file that holds a signed message becomes the part that it is in an e-mail.
    """
    data, name = part.file_bytes or b"", " ".join((part.file_name or "").split())
    if is_signed_part(data) and not name.lower().endswith(".eml"):
        return email.message_from_bytes(data)
    stored = PKCS7[0] if name.lower() == _SIGNED_NAME else part.mime_type or ""
    kind, _, sub = stored.partition("/")
    if not _MIME_TYPE.fullmatch(stored) or kind.lower() in ("multipart", "message"):
        kind, sub = "application", "octet-stream"
    file = MIMEBase(kind, sub)
    file.set_payload(data)
    encode_base64(file)
    file.add_header("Content-Disposition", "attachment", filename=name or f"attachment {number}")
    return file
