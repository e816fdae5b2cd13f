"""Documents of a matter: ids, navigation, reading, extraction, coverage, page images."""

from orderly.services.documents.adaptive_reader import AdaptiveReader, Around, Reading
from orderly.services.documents.answer_extraction import (
    STANDARD_CLAUSES,
    ClauseReport,
    ExtractionResult,
    extract_answer,
    find_clauses,
    read_revision,
)
from orderly.services.documents.contents import ContentsRow, estimate_tokens
from orderly.services.documents.coverage import ReadCoverage, coverage_from_row, coverage_of_revision
from orderly.services.documents.health import health_report, incomplete_because
from orderly.services.documents.ids import ALL_MATTERS, Node, current_revision, explain_kind, find_matters, section_name
from orderly.services.documents.navigation import FindKind, Info, Listing, Navigation, page_bounds
from orderly.services.documents.page_images import PageImage, PageImages, purge_page_images
from orderly.services.documents.text_parts import DocumentText, Part, select_parts

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
    "ReadCoverage",
    "Reading",
    "coverage_from_row",
    "coverage_of_revision",
    "current_revision",
    "estimate_tokens",
    "explain_kind",
    "extract_answer",
    "find_clauses",
    "find_matters",
    "health_report",
    "incomplete_because",
    "page_bounds",
    "purge_page_images",
    "read_revision",
    "section_name",
    "select_parts",
]
