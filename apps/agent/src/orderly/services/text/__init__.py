"""Text of documents: sections, passages, quotations, quote matching and prompt injection."""

from orderly.services.text.differences import NearestMatch, find_nearest
from orderly.services.text.draft_fences import draft_fences, without_fences
from orderly.services.text.heading_candidates import MONTH
from orderly.services.text.highlights import LineMark, drawn_rectangle, line_marks, mark_rectangles, span_rectangles
from orderly.services.text.judgment_paragraphs import paragraph_starts
from orderly.services.text.markup import defuse_markup, remove_markup
from orderly.services.text.negation import find_negation
from orderly.services.text.passages import Passage, RevisionView
from orderly.services.text.places import find_places
from orderly.services.text.prompt_injection import find_injections
from orderly.services.text.query_validation import validate_query
from orderly.services.text.quotations import (
    LONG_TEXT,
    PieceReader,
    Quotation,
    cited_page,
    find_citations,
    find_quotations,
    find_stray_marks,
)
from orderly.services.text.quote_matching import (
    compile_quote_pattern,
    cuts_words,
    find_cut_occurrence,
    find_occurrences,
    normalise_text,
    spans_overlap,
)
from orderly.services.text.quoted_spans import merge_spans
from orderly.services.text.sanitising import drop_break_hints, sanitise_text
from orderly.services.text.section_references import Reference, is_within_section, section_reference
from orderly.services.text.sections import citation_label, find_sections
from orderly.services.text.sentences import end_with_list, inline_items, list_around, sentence_around
from orderly.services.text.snippets import Snippet, cut_snippets
from orderly.services.text.stored_words import StoredWords

__all__ = [
    "LONG_TEXT",
    "MONTH",
    "LineMark",
    "NearestMatch",
    "Passage",
    "PieceReader",
    "Quotation",
    "Reference",
    "RevisionView",
    "Snippet",
    "StoredWords",
    "citation_label",
    "cited_page",
    "compile_quote_pattern",
    "cut_snippets",
    "cuts_words",
    "defuse_markup",
    "draft_fences",
    "drawn_rectangle",
    "drop_break_hints",
    "end_with_list",
    "find_citations",
    "find_cut_occurrence",
    "find_injections",
    "find_nearest",
    "find_negation",
    "find_occurrences",
    "find_places",
    "find_quotations",
    "find_sections",
    "find_stray_marks",
    "inline_items",
    "is_within_section",
    "line_marks",
    "list_around",
    "mark_rectangles",
    "merge_spans",
    "normalise_text",
    "paragraph_starts",
    "remove_markup",
    "sanitise_text",
    "section_reference",
    "sentence_around",
    "span_rectangles",
    "spans_overlap",
    "validate_query",
    "without_fences",
]
