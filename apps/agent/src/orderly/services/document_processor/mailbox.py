"""Reader for mailboxes: files with several messages one after another (RFC 4155). Each message becomes a file of its own."""

from __future__ import annotations

import re

from orderly.models import Attachment
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.mail_policy import parse_mail

_SEPARATOR = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]*\b\d\d:\d\d[^\r\n]*\b\d{4}\b[^\r\n]*\r?\n(?=[!-9;-~]+:|[> ]?From )"
)
"""A line before each message, after an empty one, with the hour and the year of its arrival. A field of the head follows."""
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_UNSAFE = re.compile(r"[\x00-\x1f/\\]")
_NAME_CHARS = 100


def messages_in(data: bytes) -> list[bytes]:
    """The messages of a mailbox; empty for a single message without a separator before it."""
    if not data.startswith(b"From "):
        return []
    starts = list(_SEPARATOR.finditer(data))
    ends = [start.start() for start in starts[1:]] + [len(data)]
    return [_QUOTED.sub(rb"\1", data[start.end() : end]) for start, end in zip(starts, ends, strict=True)]


def mailbox_draft(messages: list[bytes]) -> Draft:
    """Lists the messages, which are passed on as files."""
    lines: list[str] = []
    files: list[Attachment] = []
    for number, data in enumerate(messages, 1):
        message = parse_mail(data)
        subject, date, sender = (" ".join(str(message.get(name) or "").split()) for name in ("Subject", "Date", "From"))
        name = _UNSAFE.sub(" ", subject).strip()[:_NAME_CHARS] or "message"
        files.append(Attachment(f"{number} {name}.eml", "message/rfc822", data))
        lines.append("; ".join(part for part in (f"{number}. {subject or '(no subject)'}", sender, date) if part))
    draft = Draft("mbox", paged=False, pages=[PageDraft(1, "\n".join([f"[Mailbox of {len(messages)} messages]", *lines]))])
    draft.attachments += files
    draft.notes.append(f"The file is a mailbox of {len(messages)} messages, each of which is a document of its own.")
    draft.incomplete.append("it is a mailbox; its text lists the messages, each of which is a document of its own")
    return draft
