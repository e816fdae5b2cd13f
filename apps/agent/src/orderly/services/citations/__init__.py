"""The citation gate: verifies quotations against stored text before they are shown."""

from orderly.services.citations.answers import AnswerGate
from orderly.services.citations.checks import TOLD, Check
from orderly.services.citations.citation_text import format_citation, format_passage_citation
from orderly.services.citations.coverage import Asking
from orderly.services.citations.quotation_fates import RefusedQuotation
from orderly.services.citations.resolution import MAX_QUOTE, QuotationPart, Resolution, resolve_quotation, stored_record
from orderly.services.citations.second_readers import EngineReader, ModelReader
from orderly.services.citations.second_reading import SecondReading
from orderly.services.citations.sources import Sources
from orderly.services.citations.standing import LIKELY_HEADING, NEAREST_HEADING, Standing
from orderly.services.citations.stated import find_unsupported
from orderly.services.citations.verification import Verifier

__all__ = [
    "LIKELY_HEADING",
    "MAX_QUOTE",
    "NEAREST_HEADING",
    "TOLD",
    "AnswerGate",
    "Asking",
    "Check",
    "EngineReader",
    "ModelReader",
    "QuotationPart",
    "RefusedQuotation",
    "Resolution",
    "SecondReading",
    "Sources",
    "Standing",
    "Verifier",
    "find_unsupported",
    "format_citation",
    "format_passage_citation",
    "resolve_quotation",
    "stored_record",
]
