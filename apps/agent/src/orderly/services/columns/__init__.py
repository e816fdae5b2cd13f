"""Columns of a review: ready-made columns, and what rules find in the text of a document."""

from orderly.services.columns.column_sets import ColumnSet, ReadyColumn, column_sets
from orderly.services.columns.filling import (
    SHORTEST_CLAUSE,
    SUBJECTS,
    DocumentFiller,
    Filled,
    can_fill,
    fitted_weights,
    knows_some_wordings,
)
from orderly.services.columns.finding import Finding
from orderly.services.columns.proposals import propose_column

__all__ = [
    "SHORTEST_CLAUSE",
    "SUBJECTS",
    "ColumnSet",
    "DocumentFiller",
    "Filled",
    "Finding",
    "ReadyColumn",
    "can_fill",
    "column_sets",
    "fitted_weights",
    "knows_some_wordings",
    "propose_column",
]
