"""Support: what a sentence of an answer states about a document, and whether quotations support it."""

from orderly.services.support.alterations import find_altered
from orderly.services.support.claims import Claim, find_claim
from orderly.services.support.clauses import has_verb, is_instruction, later_clauses
from orderly.services.support.comparison import find_unsupported, shares_subject
from orderly.services.support.evidence import Evidence
from orderly.services.support.forms import (
    gives_value,
    is_row,
    is_unspaced,
    states_by_form,
    without_empty_cells,
    without_reference,
)
from orderly.services.support.illustration import find_illustration
from orderly.services.support.plain import plain_text
from orderly.services.support.quoted_words import QuotedWords, read_quoted_words
from orderly.services.support.statements import goes_on, is_about_work, is_definite, is_statement
from orderly.services.support.words import subject_stems

__all__ = [
    "Claim",
    "Evidence",
    "QuotedWords",
    "find_altered",
    "find_claim",
    "find_illustration",
    "find_unsupported",
    "gives_value",
    "goes_on",
    "has_verb",
    "is_about_work",
    "is_definite",
    "is_instruction",
    "is_row",
    "is_statement",
    "is_unspaced",
    "later_clauses",
    "plain_text",
    "read_quoted_words",
    "shares_subject",
    "states_by_form",
    "subject_stems",
    "without_empty_cells",
    "without_reference",
]
