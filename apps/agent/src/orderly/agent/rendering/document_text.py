"""Text of a document with page markers, or a part of it with an outline."""

from __future__ import annotations

from orderly.agent.rendering.places import reading_notes
from orderly.services.documents import DocumentText, Part
from orderly.services.text import citation_label
from orderly.store.functions.revisions import Section


def document_text(text: DocumentText) -> str:
    unit = "page" if text.paged else "part"
    total = f"Pages: {text.total}" if text.paged else "Pages: 1 (this format has no fixed pages)"
    lines = [f"Document: {text.name}", total]
    if text.revision_id is None:
        lines.append("Note: not indexed yet; read from the stored file just now.")
    lines += reading_notes(text.status if text.revision_id else "", text.status_reason, {"notes": list(text.notes)})
    for part in text.parts:
        marked = text.paged or text.total > 1
        lines += ["", *([_marker(unit, part)] if marked else []), part.text]
    if not text.complete:
        last = text.parts[-1].number
        lines += [
            "",
            f"[Shown: {unit}s {text.parts[0].number} to {last} of {text.total}; {text.character_count:,} characters in all. "
            f"To read on, call get_document_text with first_page={last + 1}.]",
            "Outline:",
            *(f"- {citation_label(s['label'], s['title'])} ({_where(s, text.paged)})" for s in text.outline),
        ]
    return "\n".join(lines)


def _marker(unit: str, part: Part) -> str:
    flags = f" ({', '.join(flag.replace('_', ' ') for flag in part.flags)})" if part.flags else ""
    return f"[{unit.capitalize()} {part.number}{flags}]"


def _where(section: Section, paged: bool) -> str:
    return f"page {section['page_first']}" if paged else f"ID: {section['id']}"
