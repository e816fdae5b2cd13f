"""Results as the contract's text. The formats are those of the specification's example outputs, line for line."""

from orderly.tools.rendering.answers import clause_report, excerpt, extraction, search_results
from orderly.tools.rendering.listings import document_list, local_time, matter_list, size
from orderly.tools.rendering.places import place, source, unread_notes
from orderly.tools.rendering.texts import document_text

__all__ = [
    "clause_report",
    "document_list",
    "document_text",
    "excerpt",
    "extraction",
    "local_time",
    "matter_list",
    "place",
    "search_results",
    "size",
    "source",
    "unread_notes",
]
