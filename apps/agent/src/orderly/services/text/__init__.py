"""Text of documents: sections, passages, quotations, and what is detected in them."""

from orderly.services.text.differences import Nearest, nearest
from orderly.services.text.highlights import LineMark, drawn_rectangle, line_marks, mark_rectangles
from orderly.services.text.negation import denied_by
from orderly.services.text.passages import Passage, RevisionView
from orderly.services.text.prompt_injection import attempts
from orderly.services.text.questions import question
from orderly.services.text.quotations import Quotation, Span, citations, complete_until, page_in, quotations
from orderly.services.text.quote_matching import cut_occurrence, occurrences, pattern_of, plain, touches
from orderly.services.text.rectangles import rectangles
from orderly.services.text.sanitising import storable
from orderly.services.text.sections import citation_label, find_sections
from orderly.services.text.snippets import Snippet, snippets

__all__ = [
    "LineMark",
    "Nearest",
    "Passage",
    "Quotation",
    "RevisionView",
    "Snippet",
    "Span",
    "attempts",
    "citation_label",
    "citations",
    "complete_until",
    "cut_occurrence",
    "denied_by",
    "drawn_rectangle",
    "find_sections",
    "line_marks",
    "mark_rectangles",
    "nearest",
    "occurrences",
    "page_in",
    "pattern_of",
    "plain",
    "question",
    "quotations",
    "rectangles",
    "snippets",
    "storable",
    "touches",
]
