"""Takes the body and the files out of the parts of an e-mail."""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage, MIMEPart
from html import escape

from orderly.errors import Damaged
from orderly.models import Attachment
from orderly.services.document_processor.calendar_text import calendar_text
from orderly.services.document_processor.drafts import VisibleText
from orderly.services.document_processor.encoding import decode
from orderly.services.document_processor.html import visible_text
from orderly.services.document_processor.mail_plain import has_other_words, is_stub, take_uuencoded, unflow
from orderly.services.document_processor.mail_policy import parse_mail
from orderly.services.document_processor.protected_mail import PKCS7
from orderly.services.document_processor.rtf import packed_rtf_text, rtf_text
from orderly.services.document_processor.signed_mail import signed_content
from orderly.services.document_processor.tnef import TnefMessage, read_tnef

MESSAGE = "message/rfc822"
_CALENDARS = ("text/calendar", "application/ics")
_OUTLOOK = ("application/ms-tnef", "application/vnd.ms-tnef")
_OUTLOOK_NAME = "winmail.dat"
_SIGNATURES = ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
"""Signatures beside the message that they sign: nothing in them can be read."""
_RICH = ("text/rtf", "application/rtf")
_SHOWN = ("text/plain", "text/html", "text/enriched", "text/richtext", *_RICH, *_CALENDARS)
"""Forms of a text that mail programs show."""
_WEB = ("text/css", "text/javascript", "application/javascript", "application/x-javascript")
_EXTENSIONS = {"text/plain": ".txt", "text/html": ".html", "text/calendar": ".ics"}
_UNSAFE = re.compile(r"[\x00-\x1f/\\]")
_MAX_DEPTH = 20

OUTLOOK_DAMAGED = (
    "part of it is in Outlook's own format (winmail.dat, TNEF), which could not be opened; "
    "ask the sender to send it again as HTML or plain text"
)
PLAIN_LEFT_OUT = "The message has a plain text with other words beside the formatted text that is shown; it was left out."


@dataclass(slots=True)
class MailContent:
    """What a message holds. `hidden`, `struck`: words of its formatted body that are kept out of the text."""

    bodies: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)

    @property
    def body(self) -> str:
        return "\n\n".join(text.strip("\n") for text in self.bodies if text.strip())

    def add(self, other: MailContent) -> None:
        self.bodies += other.bodies
        self.attachments += other.attachments
        self.hidden += other.hidden
        self.struck += other.struck
        self.notes += other.notes
        self.incomplete += other.incomplete

    def add_visible(self, text: VisibleText) -> None:
        self.bodies.append(text.text)
        self.hidden += text.hidden
        self.struck += text.struck


def collect(part: MIMEPart, content: MailContent) -> None:
    """Adds what a part and those in it hold to `content`."""
    kind, named = part.get_content_type(), part.get_filename()
    if kind in PKCS7 and (signed := signed_content(_bytes(part))):
        collect(parse_mail(signed), content)
    elif kind in _SIGNATURES:
        return
    elif kind in _CALENDARS:
        _collect_calendar(part, kind, named, content)
    elif kind in _OUTLOOK or (named or "").lower() == _OUTLOOK_NAME:
        _collect_outlook(part, kind, named, content)
    elif kind == "message/delivery-status":
        _attach_status(part, content)
    elif kind == MESSAGE or part.is_attachment() or (named and not kind.startswith("multipart/")):
        _attach(part, kind, named, content)
    elif kind == "multipart/alternative":
        _collect_alternative(part, content)
    elif part.is_multipart():
        _collect_inner(part, content)
    else:
        _collect_text(part, kind, named, content)


def _collect_inner(part: MIMEPart, content: MailContent) -> None:
    """Collects the parts in order. Style sheets and scripts of a page that was saved whole are no text, but hide some."""
    parts = list(part.iter_parts())
    loose = [(inner.get_content_type(), inner) for inner in parts if not inner.get_filename()]
    sheets = [_text(inner) for kind, inner in loose if kind == "text/css"]
    for inner in parts:
        kind = inner.get_content_type()
        if kind == "text/html" and sheets and not inner.get_filename():
            content.add_visible(visible_text(_text(inner), sheets))
        elif (kind, inner) not in loose or kind not in _WEB:
            collect(inner, content)


def _collect_text(part: MIMEPart, kind: str, named: str | None, content: MailContent) -> None:
    if kind == "text/html":
        content.add_visible(visible_text(_text(part)))
    elif kind in _RICH:
        content.add_visible(rtf_text(_bytes(part)))
    elif part.get_content_maintype() != "text":
        _attach(part, kind, named, content)
    elif str(part.get_param("format") or "").lower() == "flowed":
        content.bodies.append(unflow(_text(part), delete_space=str(part.get_param("delsp") or "").lower() == "yes"))
    else:
        text, files = take_uuencoded(_text(part))
        content.bodies.append(text)
        content.attachments += [Attachment(_safe(name) or "attachment", None, data) for name, data in files]


def _collect_alternative(part: MIMEPart, content: MailContent) -> None:
    """Collects the plain form, or the formatted one that a mail program shows if the plain form is blank or a stub.

    Invitations and files are collected beside the form.
    """
    plain, formatted, beside = MailContent(), MailContent(), MailContent()
    parts = list(part.iter_parts())
    for inner in [inner for inner in parts if not _is_for_others(inner)] or parts:
        kind = inner.get_content_type()
        collect(inner, plain if kind == "text/plain" else beside if kind in _CALENDARS else formatted)
    shown = formatted.body
    if not plain.body or (shown and (formatted.struck or is_stub(plain.body, shown))):  # plain text strikes nothing out
        content.add(formatted)
        content.attachments += plain.attachments
        if plain.body and has_other_words(plain.body, shown):
            content.notes.append(PLAIN_LEFT_OUT)
    else:
        content.add(plain)
        content.attachments += formatted.attachments
        content.incomplete += formatted.incomplete
        content.hidden += formatted.hidden
        content.struck += formatted.struck
    content.add(beside)


def _is_for_others(part: MIMEPart) -> bool:
    """Whether a form of the text is one that only some programs or devices show, such as AMP or that of a watch."""
    return part.get_content_maintype() == "text" and part.get_content_type() not in _SHOWN and not part.get_filename()


def _collect_calendar(part: MIMEPart, kind: str, named: str | None, content: MailContent) -> None:
    text = calendar_text(_text(part))
    if text and text not in content.bodies:
        content.bodies.append(text)
    if part.is_attachment() or not text:
        _attach(part, kind, named, content)


def _collect_outlook(part: MIMEPart, kind: str, named: str | None, content: MailContent) -> None:
    try:
        collect_outlook(read_tnef(_bytes(part)), content)
    except (ValueError, Damaged):
        content.incomplete.append(OUTLOOK_DAMAGED)
        _attach(part, kind, named or _OUTLOOK_NAME, content)


def collect_outlook(message: TnefMessage, content: MailContent, depth: int = 0) -> None:
    """Adds what a message in Outlook's own format holds to `content`. Raises ValueError or Damaged."""
    _add_outlook_body(message, content)
    for number, file in enumerate(message.files, 1):
        if file.message and depth < _MAX_DEPTH:
            inner = MailContent()
            inside = read_tnef(file.message)
            collect_outlook(inside, inner, depth + 1)
            name = _safe(inside.subject or file.name) or f"message {number}"
            content.attachments.append(Attachment(f"{name}.eml", MESSAGE, _as_mail(inside.subject, inner)))
        elif file.data:
            content.attachments.append(Attachment(_safe(file.name) or f"attachment {number}", None, file.data))
        else:
            content.incomplete.append("an attached link or object could not be taken out; export it by itself")


def _add_outlook_body(message: TnefMessage, content: MailContent) -> None:
    html = decode(message.html)[0] if isinstance(message.html, bytes) and message.html else str(message.html or "")
    formatted = visible_text(html) if html.strip() else VisibleText("")
    plain = message.plain.replace("\r\n", "\n").replace("\r", "\n").strip()
    if formatted.text and (not plain or formatted.struck or is_stub(plain, formatted.text)):
        content.add_visible(formatted)
    elif plain:
        content.bodies.append(plain)
    elif message.rtf:
        content.add_visible(packed_rtf_text(message.rtf))


def _as_mail(subject: str, content: MailContent) -> bytes:
    """A message that another one holds, as an e-mail file of its own."""
    mail = EmailMessage()
    mail["Subject"] = " ".join(subject.split()) or "(no subject)"
    if content.struck:
        mail.set_content(as_html(content.body, content.struck), subtype="html")
    else:
        mail.set_content(content.body)
    for file in content.attachments:
        mail.add_attachment(file.data, maintype="application", subtype="octet-stream", filename=file.name)
    return mail.as_bytes()


def as_html(text: str, struck: Sequence[str]) -> str:
    """A text and its struck words, which plain text cannot tell from live ones."""
    gone = "".join(f"<p><s>{escape(words)}</s></p>" for words in struck)
    return f"<html><body><pre>{escape(text)}</pre>{gone}</body></html>"


def _bytes(part: MIMEPart) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _text(part: MIMEPart) -> str:
    data = _bytes(part)
    return decode(data, part.get_content_charset())[0] if data else ""


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip()


def _attach(part: MIMEPart, kind: str, named: str | None, content: MailContent) -> None:
    number = len(content.attachments) + 1
    if kind == MESSAGE:
        inner = _inner_message(part, content)
        if inner is not None:
            subject = _UNSAFE.sub(" ", str(inner.get("Subject") or f"message {number}")).strip()
            content.attachments.append(Attachment(_safe(named or "") or f"{subject}.eml", kind, inner.as_bytes()))
        return
    extension = _EXTENSIONS.get(kind, "." + part.get_content_subtype())
    name = _safe(named) if named else f"attachment {number}{extension}"
    content.attachments.append(Attachment(name or f"attachment {number}", kind, _bytes(part)))


def _attach_status(part: MIMEPart, content: MailContent) -> None:
    """Attaches what a mail server states of a message that it could not deliver."""
    blocks = part.get_payload()
    text = "\n".join(str(block).strip() for block in blocks) if isinstance(blocks, list) else str(blocks)
    content.attachments.append(Attachment("delivery status.txt", "text/plain", text.encode()))


def _inner_message(part: MIMEPart, content: MailContent) -> EmailMessage | None:
    """The attached message. The standard forbids to encode one, but programs do; the parser does not decode it."""
    inner = _first_message(part)
    how = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if inner is None or how not in ("base64", "quoted-printable") or inner.keys():
        return inner
    stored = str(inner.get_payload()).encode("utf-8", "surrogateescape")
    try:
        return parse_mail(_decode_base64(stored) if how == "base64" else quopri.decodestring(stored))
    except binascii.Error:
        content.incomplete.append("an attached message could not be decoded; ask the sender to send it again")
        return None


def _first_message(part: MIMEPart) -> EmailMessage | None:
    payload = part.get_payload()
    return next((inner for inner in payload if isinstance(inner, EmailMessage)), None) if isinstance(payload, list) else None


def _decode_base64(data: bytes) -> bytes:
    signs = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    return base64.b64decode(signs[: len(signs) - (len(signs) % 4 == 1)] + b"=" * (-len(signs) % 4))
