"""Columns of a review: values and clauses that the text of a document shows."""

from orderly.services.columns.filling import SUBJECTS, DocumentFiller, Filled, can_fill
from orderly.services.columns.finding import Finding

__all__ = ["SUBJECTS", "DocumentFiller", "Filled", "Finding", "can_fill"]
