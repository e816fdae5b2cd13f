"""Documents of a matter: ids, navigation, reading, extraction, coverage, page images."""

from orderly.services.documents.adaptive_reader import AdaptiveReader, Around, Reading
from orderly.services.documents.answer_extraction import (
    STANDARD_CLAUSES,
    ClauseReport,
    ExtractionResult,
    extract_answer,
    extract_from,
    find_clauses,
    find_clauses_in,
    read_revision,
)
from orderly.services.documents.clause_excerpts import main_headings, outer_clauses, shown_clauses
from orderly.services.documents.contents import ContentsRow, estimate_tokens
from orderly.services.documents.coverage import (
    ReadCoverage,
    coverage_of_file,
    coverage_of_revision,
    load_coverage,
)
from orderly.services.documents.health import EDITION, health_report, incomplete_because
from orderly.services.documents.ids import (
    ALL_MATTERS,
    Node,
    current_revision,
    explain_kind,
    explain_scope,
    find_matters,
    group_by_matter,
    section_name,
)
from orderly.services.documents.navigation import FindKind, Info, Listing, Navigation, page_bounds
from orderly.services.documents.openings import Opening, read_openings
from orderly.services.documents.page_images import PageImage, PageImages, purge_page_images
from orderly.services.documents.stored_files import StoredFiles, StoredText
from orderly.services.documents.text_parts import DocumentText, Part, PartRange, parts_of_file, parts_of_revision

__all__ = [
    "ALL_MATTERS",
    "EDITION",
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
    "Opening",
    "PageImage",
    "PageImages",
    "Part",
    "PartRange",
    "ReadCoverage",
    "Reading",
    "StoredFiles",
    "StoredText",
    "coverage_of_file",
    "coverage_of_revision",
    "current_revision",
    "estimate_tokens",
    "explain_kind",
    "explain_scope",
    "extract_answer",
    "extract_from",
    "find_clauses",
    "find_clauses_in",
    "find_matters",
    "group_by_matter",
    "health_report",
    "incomplete_because",
    "load_coverage",
    "main_headings",
    "outer_clauses",
    "page_bounds",
    "parts_of_file",
    "parts_of_revision",
    "purge_page_images",
    "read_openings",
    "read_revision",
    "section_name",
    "shown_clauses",
]
