"""A document's text, in full or in numbered parts within a character budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from orderly.errors import Invalid
from orderly.services.documents.stored_files import StoredText
from orderly.services.text import RevisionView
from orderly.store.functions.documents import FullDocument
from orderly.store.functions.revisions import Section

READ_CHARACTERS = 48_000
"""Characters of one answer."""


@dataclass(frozen=True, slots=True)
class Part:
    """A page, or a numbered part of a document without pages."""

    number: int
    text: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentText:
    name: str
    status: str
    status_reason: str
    paged: bool
    total: int
    """Number of pages, or of parts if the format has no pages."""
    parts: tuple[Part, ...]
    complete: bool
    """False if the text exceeds the budget: `parts` is then cut short, and `outline` is filled."""
    outline: Sequence[Section]
    character_count: int
    notes: Sequence[str]
    """Reader's notes: tracked changes, hidden text, a fallback reader."""
    document_id: str
    revision_id: str | None
    """None if no revision is published yet; the text then comes from the stored file."""

    def whole(self) -> dict[str, Any]:
        """Identifies the document that was read. Quotations are verified against the stored text."""
        return {"document_id": self.document_id, "document_name": self.name, "revision_id": self.revision_id}


@dataclass(frozen=True, slots=True)
class PartRange:
    """The requested pages (or parts)."""

    first: int | None
    last: int | None


def parts_of_revision(view: RevisionView, wanted: PartRange) -> DocumentText:
    """Selects parts of a revision's text. Raises Invalid if the range is outside the document."""
    pages = [Part(p["number"], view.text[p["start"] : p["end"]], tuple(p["flags"])) for p in view.pages]
    parts = pages if view.paged else _split_into_parts(view.text)
    selected, complete = _select_parts(parts, wanted, view.name, paged=view.paged)
    return DocumentText(
        name=view.name,
        status=view.status,
        status_reason=view.status_reason,
        paged=view.paged,
        total=len(parts),
        parts=selected,
        complete=complete,
        outline=() if complete else [s for s in view.sections if s["level"] <= 2],
        character_count=len(view.text),
        notes=tuple(view.health.get("notes", ())),
        document_id=view.document_id,
        revision_id=view.revision_id,
    )


def parts_of_file(document: FullDocument, stored: StoredText, wanted: PartRange) -> DocumentText:
    """Selects parts of a stored file's text. Raises Invalid if the range is outside the document."""
    pages = [Part(page.number, stored.text[page.start : page.end], page.flags) for page in stored.pages]
    parts = pages if stored.paged else _split_into_parts(stored.text)
    selected, complete = _select_parts(parts, wanted, document["filename"], paged=stored.paged)
    return DocumentText(
        name=document["filename"],
        status=document["status"],
        status_reason=document["status_reason"],
        paged=stored.paged,
        total=len(parts),
        parts=selected,
        complete=complete,
        outline=(),
        character_count=len(stored.text),
        notes=stored.notes,
        document_id=document["id"],
        revision_id=None,
    )


def _select_parts(parts: Sequence[Part], wanted: PartRange, name: str, *, paged: bool) -> tuple[tuple[Part, ...], bool]:
    """Selects as many parts from the start of the range as fit the budget, at least one. Returns them, and whether all fit."""
    lowest, highest = wanted.first or 1, wanted.last or len(parts)
    if not 1 <= lowest <= highest <= len(parts):
        what = "pages" if paged else "parts"
        raise Invalid(f"{name} has {what} 1 to {len(parts)}; first_page and last_page must lie within.")
    selected: list[Part] = []
    used = 0
    for part in parts[lowest - 1 : highest]:
        if selected and used + len(part.text) > READ_CHARACTERS:
            break
        selected.append(part)
        used += len(part.text)
    return tuple(selected), selected[-1].number == highest


def _split_into_parts(text: str) -> list[Part]:
    cuts = [0]
    while len(text) - cuts[-1] > READ_CHARACTERS:
        limit = cuts[-1] + READ_CHARACTERS
        cut = text.rfind("\n", cuts[-1] + READ_CHARACTERS // 2, limit)
        cuts.append(cut + 1 if cut > 0 else limit)
    cuts.append(len(text))
    return [Part(n, text[a:b]) for n, (a, b) in enumerate(pairwise(cuts), 1)]
