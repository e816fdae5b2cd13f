"""Reader for e-mail files (RFC 5322 and MIME)."""

from __future__ import annotations

import codecs
import email
import re
from email.message import EmailMessage
from pathlib import Path

from orderly.errors import Damaged
from orderly.models import Attachment
from orderly.services.document_processor.drafts import Draft, struck_entry
from orderly.services.document_processor.email_text import email_draft
from orderly.services.document_processor.encoding import decode, detect_utf16
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.mail_parts import MailContent, collect
from orderly.services.document_processor.mail_policy import decode_bytes, parse_mail
from orderly.services.document_processor.mailbox import mailbox_draft, messages_in
from orderly.services.document_processor.protected_mail import check_protection
from orderly.services.document_processor.signed_mail import signed_content

HEAD = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SIGNED = b"multipart/signed"
_HEAD_BYTES = 4096
_LENGTH = re.compile(rb"(\d{1,12}) *\r?\n")


def read_eml(path: Path, limits: Limits) -> Draft:
    """Reads an e-mail, or a mailbox of several. Blocking. Raises Protected, or Damaged for a file without header fields."""
    data = path.read_bytes()
    if detect_utf16(data) or data.startswith(_MARKS):
        data = decode(data)[0].encode()
    data = _without_frame(data)
    if len(messages := messages_in(data)) > 1:
        return mailbox_draft(messages)
    message = parse_mail(data)
    head = [(name, _header(message, name)) for name in HEAD]
    if not message.keys():
        raise Damaged("The file calls itself an e-mail, but has no head. Export it anew and upload it again.")
    content = MailContent()
    collect(message, content)
    draft = email_draft("eml", head, content.body, content.attachments)
    report(content, draft)
    check_protection(draft, content.body)
    return draft


def _without_frame(data: bytes) -> bytes:
    """The message in a file of Apple Mail (.emlx), which states its length before it and has a list of properties after it."""
    length = _LENGTH.match(data)
    return data[length.end() : length.end() + int(length[1])] if length else data


def report(content: MailContent, draft: Draft) -> None:
    """Tells what a message holds beside its text."""
    draft.report_struck([struck_entry(words) for words in content.struck])
    draft.report_hidden(content.hidden)
    draft.notes += content.notes
    draft.incomplete += content.incomplete


def signed_message(file: Attachment) -> MailContent | None:
    """What a signed message holds that is a file of another; None for other files.

    The signature encloses the message (PKCS#7), or the file is the MIME part with the message and its signature.
    """
    content = signed_content(file.data) or (file.data if is_signed_part(file.data) else None)
    if content is None:
        return None
    found = MailContent()
    collect(parse_mail(content), found)
    return found


def is_signed_part(data: bytes) -> bool:
    """Whether data is a MIME part of a message and its signature, with the header fields of the part."""
    head = data[:_HEAD_BYTES]
    return _SIGNED in head.lower() and email.message_from_bytes(head).get_content_type() == _SIGNED.decode()


def _header(message: EmailMessage, name: str) -> str | None:
    try:
        return ", ".join(str(value) for value in message.get_all(name, ()))
    except (ValueError, TypeError, IndexError, AttributeError):
        # The standard parser fails on some malformed addresses: use the raw values.
        return ", ".join(decode_bytes(str(value)) for key, value in message.raw_items() if key.lower() == name.lower())
