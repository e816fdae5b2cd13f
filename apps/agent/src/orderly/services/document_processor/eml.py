"""Reader for e-mail files (RFC 5322 and MIME)."""

from __future__ import annotations

import base64
import binascii
import codecs
import email
import re
from email import policy
from email.message import EmailMessage, MIMEPart
from pathlib import Path

from orderly.errors import Damaged
from orderly.models import Attachment
from orderly.services.document_processor.calendar_text import calendar_text
from orderly.services.document_processor.drafts import Draft
from orderly.services.document_processor.email_text import email_draft
from orderly.services.document_processor.encoding import decode, detect_utf16
from orderly.services.document_processor.html import html_text
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.protected_mail import PKCS7, check_protection
from orderly.services.document_processor.signed_mail import signed_content

HEAD = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SIGNED = b"multipart/signed"
_SIGNATURES = ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
"""Signatures beside the message that they sign: nothing in them can be read."""
_CALENDAR = "text/calendar"
_HEAD_BYTES = 4096
_UNSAFE = re.compile(r"[\x00-\x1f/\\]")


def read_eml(path: Path, limits: Limits) -> Draft:
    """Reads an e-mail. Blocking. Raises Protected, or Damaged for a file without header fields."""
    data = path.read_bytes()
    if detect_utf16(data) or data.startswith(_MARKS):
        data = decode(data)[0].encode()
    message = email.message_from_bytes(data, policy=policy.default)
    assert isinstance(message, EmailMessage)
    head = [(name, _header(message, name)) for name in HEAD]
    if not message.keys():
        raise Damaged("The file calls itself an e-mail, but has no head. Export it anew and upload it again.")
    bodies: list[str] = []
    attachments: list[Attachment] = []
    _collect(message, bodies, attachments)
    body = "\n\n".join(bodies)
    draft = email_draft("eml", head, body, attachments)
    check_protection(draft, body)
    return draft


def signed_message(file: Attachment) -> tuple[str, list[Attachment]] | None:
    """Body and attachments of a signed message that is a file of another; None for other files.

    The signature encloses the message (PKCS#7), or the file is the MIME part with the message and its signature.
    """
    content = signed_content(file.data) or (file.data if is_signed_part(file.data) else None)
    if content is None:
        return None
    bodies: list[str] = []
    attachments: list[Attachment] = []
    _collect(email.message_from_bytes(content, policy=policy.default), bodies, attachments)
    return "\n\n".join(bodies), attachments


def is_signed_part(data: bytes) -> bool:
    """Whether data is a MIME part of a message and its signature, with the header fields of the part."""
    head = data[:_HEAD_BYTES]
    return _SIGNED in head.lower() and email.message_from_bytes(head).get_content_type() == _SIGNED.decode()


def _header(message: EmailMessage, name: str) -> str | None:
    try:
        return ", ".join(str(value) for value in message.get_all(name, ()))
    except (ValueError, TypeError, IndexError, AttributeError):
        # The standard parser fails on some malformed addresses: use the raw values.
        return ", ".join(str(value) for key, value in message.raw_items() if key.lower() == name.lower())


def _collect(part: MIMEPart, bodies: list[str], attachments: list[Attachment]) -> None:
    kind = part.get_content_type()
    named = part.get_filename()
    if kind in PKCS7 and (signed := signed_content(_bytes(part))):
        _collect(email.message_from_bytes(signed, policy=policy.default), bodies, attachments)
    elif kind in _SIGNATURES:
        return
    elif kind == "message/rfc822" or part.is_attachment() or (named and not kind.startswith("multipart/")):
        attachments.append(_attachment(part, kind, named, len(attachments) + 1))
    elif kind == "multipart/alternative":
        _collect_alternative(part, bodies, attachments)
    elif part.is_multipart():
        for inner in part.iter_parts():
            _collect(inner, bodies, attachments)
    elif part.get_content_maintype() == "text":
        bodies.append(_text(part, kind))
    else:
        attachments.append(_attachment(part, kind, named, len(attachments) + 1))


def _collect_alternative(part: MIMEPart, bodies: list[str], attachments: list[Attachment]) -> None:
    """Collects the plain text of an alternative part, or all other forms if the plain text is blank."""
    forms: dict[str, list[str]] = {}
    for inner in part.iter_parts():
        found: list[str] = []
        _collect(inner, found, attachments)
        forms.setdefault(inner.get_content_type(), []).extend(found)
    plain = "\n\n".join(forms.get("text/plain", ()))
    formatted = "\n\n".join(forms.get("text/html", ()))
    bodies += (
        [plain]
        if plain.strip() and not _is_stub(plain, formatted)
        else [formatted]
        if formatted.strip() and plain.strip()
        else [text for kind, found in forms.items() if kind != _CALENDAR for text in found]
    )
    bodies += forms.get(_CALENDAR, ())  # says what the other forms do not


def _is_stub(plain: str, formatted: str) -> bool:
    """Whether the plain form lacks most words of the formatted one, as a notice of the sending program does."""
    words = set(formatted.split())
    return len(words - set(plain.split())) > len(words) / 2


def _bytes(part: MIMEPart) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _text(part: MIMEPart, kind: str) -> str:
    data = _bytes(part)
    text, _ = decode(data, part.get_content_charset()) if data else ("", "")
    if kind == _CALENDAR:
        return calendar_text(text)
    return html_text(text) if kind == "text/html" else text


def _inner_message(part: MIMEPart) -> EmailMessage:
    """The attached message. The standard forbids base64 here, but common programs send it; the parser does not decode it."""
    inner = part.get_payload(0)
    assert isinstance(inner, EmailMessage)
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() != "base64" or inner.keys():
        return inner
    try:
        decoded = base64.b64decode(str(inner.get_payload()), validate=False)
    except binascii.Error:
        return inner
    message = email.message_from_bytes(decoded, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def _attachment(part: MIMEPart, kind: str, named: str | None, number: int) -> Attachment:
    if kind == "message/rfc822":
        inner = _inner_message(part)
        subject = _UNSAFE.sub(" ", str(inner.get("Subject") or f"message {number}")).strip()
        return Attachment(named or f"{subject}.eml", kind, inner.as_bytes())
    extension = {"text/plain": ".txt", "text/html": ".html"}.get(kind, "." + part.get_content_subtype())
    name = _UNSAFE.sub("_", named).strip() if named else f"attachment {number}{extension}"
    return Attachment(name or f"attachment {number}", kind, _bytes(part))
