"""Words that a reader kept out of a document's text: struck out, deleted or hidden ones, with their places.

Of hidden words a model is told the places, and those words that it has searched for: they may be instructions to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from orderly.services.documents import section_name
from orderly.services.search import ApartMatch
from orderly.store.functions.ingestion import Health
from orderly.store.functions.revisions import Section

MAX_LISTED = 20
_LONGEST = 300
_KINDS = {"struck": "struck out", "deletion": "deleted", "move away": "moved away", "hidden": "hidden"}
_NOT_TEXT = "not part of the text, and not to be quoted as what {} says"


def found_apart(found: Sequence[ApartMatch]) -> list[str]:
    """Words that were kept out of the texts, with their places."""
    if not found:
        return []
    lines = ["", f"{_NOT_TEXT.format('a document').capitalize()}:"]
    for one in found:
        where = f"{one.document_name}, {one.place}" if one.place else one.document_name
        rest = " (hidden from a reader; the health report lists all of it)" if one.kind == "hidden" else ""
        lines.append(f"- [{where}] {_KINDS[one.kind]}: “{one.text}”{rest}")
    return lines


def kept_apart(health: Health, sections: Sequence[Section]) -> list[str]:
    """Lists what was kept out of a document's text."""
    details = health.get("details", {})
    changes = cast(Sequence[Mapping[str, Any]], details.get("tracked_changes", ()))
    gone = [change for change in changes if change["kind"] in _KINDS]
    lines = [f"Kept apart, {_NOT_TEXT.format('it')}:"] if gone or health.get("hidden_text") else []
    for change in gone[:MAX_LISTED]:
        where = _where(change, sections)
        lines.append(f"- {_KINDS[change['kind']]}{f', {where}' if where else ''}: “{change['text'][:_LONGEST]}”")
    if len(gone) > MAX_LISTED:
        lines.append(f"- … and {len(gone) - MAX_LISTED} more; the health report lists all.")
    pages = Counter(entry["page"] for entry in health.get("hidden_text", ()))
    for page, count in [*pages.items()][:MAX_LISTED]:
        places = "1 place" if count == 1 else f"{count} places"
        lines.append(f"- hidden{f', page {page}' if page else ''}: {places}; the health report lists the words.")
    return lines


def _where(change: Mapping[str, Any], sections: Sequence[Section]) -> str:
    at = change.get("at")
    if at is None:
        return str(change.get("place", ""))
    around = [section for section in sections if section["start"] <= at <= section["end"]]
    return section_name(max(around, key=lambda section: section["level"])) if around else ""
