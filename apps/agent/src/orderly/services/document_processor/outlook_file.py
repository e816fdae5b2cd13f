"""Readers for files that mail programs send as parts of messages: calendar files, and winmail.dat (TNEF)."""

from __future__ import annotations

from pathlib import Path

from orderly.errors import Damaged
from orderly.services.document_processor.calendar_text import calendar_text
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.email_text import email_draft
from orderly.services.document_processor.eml import report
from orderly.services.document_processor.encoding import decode
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.mail_parts import MailContent, collect_outlook
from orderly.services.document_processor.tnef import read_tnef

_DAMAGED = (
    "The file is a message in Outlook's own format (winmail.dat, TNEF) and could not be opened. "
    "Ask the sender to send it again as HTML or plain text."
)


def read_calendar(path: Path, limits: Limits) -> Draft:
    """Reads a calendar file. Blocking. One without meetings, tasks or notes is read as it is written."""
    source, encoding = decode(path.read_bytes())
    return Draft(f"calendar {encoding}", paged=False, pages=[PageDraft(1, calendar_text(source) or source)])


def read_winmail(path: Path, limits: Limits) -> Draft:
    """Reads a message in Outlook's own format. Blocking. Raises Damaged."""
    content = MailContent()
    try:
        message = read_tnef(path.read_bytes())
        collect_outlook(message, content)
    except ValueError as exc:
        raise Damaged(_DAMAGED) from exc
    draft = email_draft("tnef", [("Subject", message.subject)], content.body, content.attachments)
    report(content, draft)
    return draft
