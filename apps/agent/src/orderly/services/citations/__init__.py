"""The citation gate: quotations are looked up in stored text before anybody sees them."""

from orderly.services.citations.answers import AnswerGate, Failure
from orderly.services.citations.resolution import MAX_QUOTE, Part, Resolution, resolve_quotation, stored_record
from orderly.services.citations.sources import Sources, named, where
from orderly.services.citations.verification import Verifier

__all__ = [
    "MAX_QUOTE",
    "AnswerGate",
    "Failure",
    "Part",
    "Resolution",
    "Sources",
    "Verifier",
    "named",
    "resolve_quotation",
    "stored_record",
    "where",
]
