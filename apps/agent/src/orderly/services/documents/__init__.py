"""Documents of a matter: ids, browsing, reading, extraction, coverage, page images."""

from orderly.services.documents.browse import FindKind, Info, Listing, Navigation, page_bounds
from orderly.services.documents.contents import ContentsRow, tokens
from orderly.services.documents.coverage import Read, of_revision, of_row
from orderly.services.documents.extraction import (
    STANDARD_CLAUSES,
    ClauseReport,
    ExtractionResult,
    extract_answer,
    find_clauses,
    read_revision,
)
from orderly.services.documents.health import health_report, incomplete_because
from orderly.services.documents.ids import ALL_MATTERS, Node, current_revision, explained, matters_called, section_name
from orderly.services.documents.page_images import PageImage, PageImages, purge_page_images
from orderly.services.documents.read import AdaptiveReader, Around, Reading
from orderly.services.documents.text import DocumentText, Part, select_parts

__all__ = [
    "ALL_MATTERS",
    "STANDARD_CLAUSES",
    "AdaptiveReader",
    "Around",
    "ClauseReport",
    "ContentsRow",
    "DocumentText",
    "ExtractionResult",
    "FindKind",
    "Info",
    "Listing",
    "Navigation",
    "Node",
    "PageImage",
    "PageImages",
    "Part",
    "Read",
    "Reading",
    "current_revision",
    "explained",
    "extract_answer",
    "find_clauses",
    "health_report",
    "incomplete_because",
    "matters_called",
    "of_revision",
    "of_row",
    "page_bounds",
    "purge_page_images",
    "read_revision",
    "section_name",
    "select_parts",
    "tokens",
]
