"""Reader for Outlook messages."""

from __future__ import annotations

import struct
from pathlib import Path

from oxmsg import Message

from orderly.errors import Damaged
from orderly.models import Attachment
from orderly.services.document_processor.drafts import Draft, VisibleText
from orderly.services.document_processor.email_text import email_draft
from orderly.services.document_processor.eml import report, signed_message
from orderly.services.document_processor.html import visible_text
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.mail_parts import MailContent, as_html
from orderly.services.document_processor.mail_plain import is_stub
from orderly.services.document_processor.msg_embedded import embedded_message, to_mail
from orderly.services.document_processor.protected_mail import check_protection, protection_of_message_class
from orderly.services.document_processor.rtf import packed_rtf_text

_DAMAGED = "The Outlook message is damaged and could not be read. Export it anew and upload it again."
_MESSAGE_CLASS = 0x001A
_RECIPIENT_TYPE = 0x0C15
_KINDS = {1: "To", 2: "Cc", 3: "Bcc"}
_COMPRESSED_RTF = 0x1009


def read_msg(path: Path, limits: Limits) -> Draft:
    """Reads a message. Blocking. Raises Protected or Damaged."""
    try:
        message = Message.load(str(path))
        head = _head(message)
        attachments, lost = _attachments(message)
        message_class = message.properties.str_prop_value(_MESSAGE_CLASS) or ""
        content = _unsigned(message_class, _content(message, attachments))
    except (OSError, KeyError, ValueError, IndexError, AttributeError, TypeError, struct.error, AssertionError) as exc:
        raise Damaged(_DAMAGED) from exc
    draft = email_draft("msg", head, content.body, content.attachments)
    report(content, draft)
    check_protection(draft, content.body, protection_of_message_class(message_class, content.attachments))
    if lost:
        draft.incomplete.append(f"{lost} attached links or objects could not be taken out; export them by themselves")
    return draft


def _head(message: Message) -> list[tuple[str, str | None]]:
    """Header fields from the transport headers if present, else from Outlook's properties."""
    sent = {name.lower(): value for name, value in message.message_headers.items()}
    stored: dict[str, list[str]] = {}
    for recipient in message.recipients:
        kind = _KINDS.get(recipient.properties.int_prop_value(_RECIPIENT_TYPE) or 1, "To")
        address = f" <{recipient.email_address}>" if recipient.email_address else ""
        stored.setdefault(kind, []).append(f"{recipient.name}{address}".strip())
    date = sent.get("date") or (message.sent_date.isoformat(" ") if message.sent_date else None)
    return [
        ("From", message.sender),
        *((kind, sent.get(kind.lower()) or "; ".join(stored.get(kind, ()))) for kind in ("To", "Cc", "Bcc")),
        ("Date", date),
        ("Subject", message.subject or sent.get("subject")),
    ]


def _content(message: Message, attachments: list[Attachment]) -> MailContent:
    content = MailContent(attachments=attachments)
    source, kind = _body(message)
    if kind == "html":
        content.add_visible(visible_text(source))
    else:
        content.bodies.append(source)
    return content


def _body(message: Message) -> tuple[str, str]:
    """The body and its kind: "plain" or "html"."""
    html = message.html_body or ""
    if body := (message.body or "").replace("\r\n", "\n").replace("\r", "\n").strip():
        shown = visible_text(html)
        if shown.text and (shown.struck or is_stub(body, shown.text)):
            return html, "html"
        rich = VisibleText("") if html else _rich_form(message)
        return (as_html(rich.text, rich.struck), "html") if rich.struck else (body, "plain")
    if html:
        return html, "html"
    rich = _rich_body(message)
    return (as_html(rich.text, rich.struck), "html") if rich.struck else (rich.text, "plain")


def _rich_form(message: Message) -> VisibleText:
    """The formatted form of a message that has a plain one, too, which is enough where the other is damaged."""
    try:
        return _rich_body(message)
    except Damaged:
        return VisibleText("")


def _rich_body(message: Message) -> VisibleText:
    packed = message.properties.binary_prop_value(_COMPRESSED_RTF)
    return packed_rtf_text(packed) if packed else VisibleText("")


def _unsigned(message_class: str, content: MailContent) -> MailContent:
    """What the message inside a signature holds, which Outlook stores as the only file of a signed message."""
    files, body = content.attachments, content.body
    if len(files) != 1 or not (".smime" in message_class.lower() or (not body and not files[0].name.lower().endswith(".eml"))):
        return content
    if signed := signed_message(files[0]):
        signed.bodies = signed.bodies if signed.body else content.bodies
        return signed
    return content


def _attachments(message: Message) -> tuple[list[Attachment], int]:
    """Attachments, and the number of those that could not be extracted."""
    found: list[Attachment] = []
    lost = 0
    for number, part in enumerate(message.attachments, 1):
        if part.file_bytes is not None:
            found.append(Attachment(_name(part.file_name or f"attachment {number}"), part.mime_type, part.file_bytes))
        elif (inner := embedded_message(part)) is not None:
            mail, missing = to_mail(inner, _head, _body)
            found.append(Attachment(f"{_name(inner.subject or f'message {number}')}.eml", "message/rfc822", mail.as_bytes()))
            lost += missing
        else:
            lost += 1
    return found, lost


def _name(stored: str) -> str:
    return " ".join(stored.replace("/", "_").replace("\\", "_").split())
