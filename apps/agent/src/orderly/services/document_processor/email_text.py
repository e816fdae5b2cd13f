"""Formats e-mails of both file formats: header lines, then the body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orderly.models import Attachment
from orderly.services.document_processor.drafts import Draft, PageDraft


def email_draft(reader: str, head: Iterable[tuple[str, str | None]], body: str, attachments: Sequence[Attachment]) -> Draft:
    """Builds the draft of an e-mail. Header fields without a value are omitted."""
    lines = [f"{name}: {' '.join(value.split())}" for name, value in head if value and value.strip()]
    if attachments:
        lines.append("Attachments: " + "; ".join(attachment.name for attachment in attachments))
    text = "\n\n".join(part for part in ("\n".join(lines), body.strip()) if part)
    draft = Draft(reader, paged=False, pages=[PageDraft(1, text)], attachments=list(attachments))
    if not body.strip():
        draft.notes.append("The message has no text of its own.")
    return draft
