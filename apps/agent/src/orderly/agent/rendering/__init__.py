"""Rendering of results as text, one function per kind of result. `tests/snapshots` holds examples."""

from orderly.agent.rendering.answers import clause_report, excerpt, extraction, search_results
from orderly.agent.rendering.browsing import contents, found_by_name, info
from orderly.agent.rendering.citations import resolution
from orderly.agent.rendering.document_answers import document_answers
from orderly.agent.rendering.document_text import document_text
from orderly.agent.rendering.images import page_image
from orderly.agent.rendering.keywords import keyword_results
from orderly.agent.rendering.listings import document_list, local_time, matter_list, size
from orderly.agent.rendering.places import place, source, unread_notes
from orderly.agent.rendering.reviews import (
    cell_text,
    cell_words,
    review_kept,
    review_line,
    review_list,
    review_reading,
    review_text,
    row_text,
)
from orderly.agent.rendering.sections import around, reading
from orderly.agent.rendering.visuals import visual_results

__all__ = [
    "around",
    "cell_text",
    "cell_words",
    "clause_report",
    "contents",
    "document_answers",
    "document_list",
    "document_text",
    "excerpt",
    "extraction",
    "found_by_name",
    "info",
    "keyword_results",
    "local_time",
    "matter_list",
    "page_image",
    "place",
    "reading",
    "resolution",
    "review_kept",
    "review_line",
    "review_list",
    "review_reading",
    "review_text",
    "row_text",
    "search_results",
    "size",
    "source",
    "unread_notes",
    "visual_results",
]
