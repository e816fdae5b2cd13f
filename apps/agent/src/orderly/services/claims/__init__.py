"""Claims: what a sentence of an answer asserts about a document, and whether quotations support it."""

from orderly.services.claims.evidence import Evidence
from orderly.services.claims.plain import plain_text
from orderly.services.claims.statements import is_about_work, is_claim, is_definite
from orderly.services.claims.support import find_unsupported, shares_subject

__all__ = ["Evidence", "find_unsupported", "is_about_work", "is_claim", "is_definite", "plain_text", "shares_subject"]
