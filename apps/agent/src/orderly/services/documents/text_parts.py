"""A document's text, in full or in numbered parts within a character budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from orderly.errors import Invalid
from orderly.services.text import RevisionView
from orderly.store.functions.revisions import Section


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


def select_parts(view: RevisionView, first: int | None, last: int | None, budget: int) -> DocumentText:
    """Selects pages (or parts) `first`..`last`: as many from the start as fit `budget` characters, at least one.

    Raises Invalid if the range is outside the document.
    """
    parts = _split_into_parts(view, budget)
    lowest, highest = first or 1, last or len(parts)
    if not 1 <= lowest <= highest <= len(parts):
        what = "pages" if view.paged else "parts"
        raise Invalid(f"{view.name} has {what} 1 to {len(parts)}; first_page and last_page must lie within.")
    selected: list[Part] = []
    used = 0
    for part in parts[lowest - 1 : highest]:
        if selected and used + len(part.text) > budget:
            break
        selected.append(part)
        used += len(part.text)
    complete = selected[-1].number == highest
    return DocumentText(
        name=view.name,
        status=view.status,
        status_reason=view.status_reason,
        paged=view.paged,
        total=len(parts),
        parts=tuple(selected),
        complete=complete,
        outline=() if complete else [s for s in view.sections if s["level"] <= 2],
        character_count=len(view.text),
        notes=tuple(view.health.get("notes", ())),
        document_id=view.document_id,
        revision_id=view.revision_id,
    )


def _split_into_parts(view: RevisionView, budget: int) -> list[Part]:
    if view.paged:
        return [Part(p["number"], view.text[p["start"] : p["end"]], tuple(p["flags"])) for p in view.pages]
    cuts = [0]
    while len(view.text) - cuts[-1] > budget:
        limit = cuts[-1] + budget
        cut = view.text.rfind("\n", cuts[-1] + budget // 2, limit)
        cuts.append(cut + 1 if cut > 0 else limit)
    cuts.append(len(view.text))
    return [Part(n, view.text[a:b]) for n, (a, b) in enumerate(pairwise(cuts), 1)]
