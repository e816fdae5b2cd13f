"""Places of passages as text, and notes on the reliability of a result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from orderly.models import PENDING_STATUSES
from orderly.services.text import Passage, citation_label
from orderly.store.functions.ingestion import Health
from orderly.store.functions.search import SearchedDocument


def place(passage: Passage) -> str:
    """Returns, for example, "Page 8, Section 12.1 (Termination)"; without fixed pages, the section alone."""
    parts = []
    if passage.paged:
        one = passage.page_first == passage.page_last
        parts.append(f"Page {passage.page_first}" if one else f"Page {passage.page_first}-{passage.page_last}")
    if reference := citation_label(passage.section_label, passage.section_title):
        parts.append(reference)
    return ", ".join(parts)


def source(passage: Passage) -> str:
    """Returns the source of a search result in brackets: the name with the page, else the section, else the name alone."""
    where = place(passage).split(", Section ")[0] if passage.paged else place(passage)
    return f"[{passage.document_name}, {where}]" if where else f"[{passage.document_name}]"


def no_documents(*, scoped: bool) -> str:
    """`scoped`: the search was restricted to folders, documents or sections."""
    if scoped:
        return "No documents found in the given folders."
    return "No documents found in this matter. Upload documents first."


def unread_notes(
    documents: Sequence[SearchedDocument],
    raw_searched: Collection[str],
    raw_unread: Mapping[str, str],
) -> list[str]:
    """Returns a sentence for each document that was not searched in full.

    `raw_searched`: ids of documents whose files were searched word by word. `raw_unread`: document id -> why not.
    """
    notes = []
    for d in documents:
        name, reason = d["filename"], d["status_reason"].rstrip(".")
        has_revision = d["chunk_count"] is not None
        state = (
            f"is still being processed ({d['status']})" if d["status"] in PENDING_STATUSES else f"could not be read ({reason})"
        )
        if d["id"] in raw_searched:
            notes.append(f"Searched word by word only, in its raw text, as it is not indexed: {name} {state}.")
        elif d["id"] in raw_unread:
            notes.append(f"Not searched: {name} {state}.{_file_note(raw_unread[d['id']], reason)}")
        elif has_revision and d["status"] in PENDING_STATUSES:
            notes.append(f"Searched in its earlier version: {name}, whose new one is still being processed ({d['status']}).")
        elif has_revision and d["status"] in ("failed", "unsupported"):
            notes.append(f"Searched in its earlier version: {name}, whose new one could not be read ({reason}).")
        elif d["status"] in PENDING_STATUSES:
            notes.append(f"Not searched: {name} is still being processed ({d['status']}).")
        elif d["status"] == "failed":
            notes.append(f"Not searched: {name} could not be read ({reason}).")
        elif d["status"] == "unsupported":
            notes.append(f"Not searched: {name} is of an unsupported type ({reason}).")
        elif d["status"] == "partial":
            notes.append(f"Searched in part: {name} ({reason}).")
    return notes


def _file_note(file_reason: str, reason: str) -> str:
    """The reason why the file was not searched either, unless it is the reason already given."""
    return "" if file_reason == reason else f" {file_reason[0].upper()}{file_reason[1:]}."


def reading_notes(status: str, reason: str, health: Health) -> list[str]:
    """Returns notes about an incomplete reading, an earlier version and the health of a document."""
    notes = []
    if status == "partial":
        notes = [f"Note: this document was read in part only ({reason.rstrip('.')})."]
    elif status in PENDING_STATUSES:
        notes = ["Note: this is the earlier version of the document; the new one is still being processed."]
    elif status in ("failed", "unsupported"):
        notes = [f"Note: this is the earlier version of the document; the new one could not be read ({reason.rstrip('.')})."]
    return notes + [f"Note: {note}" for note in health.get("notes") or ()]


def past_the_last(total: int, what: str, offset: int) -> str:
    """The note of a page that begins behind the last item."""
    counted = f"is 1 {what}" if total == 1 else f"are {total:,} {what}s"
    return f"[There {counted}; offset={offset} is past the last one.]"


def closing_notes(notes: Sequence[str], engine: str | None) -> list[str]:
    lines = [*notes, *([f"Engine: {engine}"] if engine else [])]
    return ["", *lines] if lines else []


def indented(quotation: str) -> str:
    """Indents the first line by three spaces and the others by four, to align them after the quotation mark."""
    first, *others = quotation.split("\n")
    return "\n".join([f"   {first}", *(f"    {line}" if line else line for line in others)])
