"""Reviews: a table of documents by columns, with verified answers and people's verdicts."""

from orderly.services.reviews.asked_columns import (
    columns_of_questions,
    columns_of_sets,
    columns_to_ask,
    propose_column,
    ready_columns,
)
from orderly.services.reviews.cell_answers import CellAnswer
from orderly.services.reviews.cells import answer_cells
from orderly.services.reviews.effective import effective_note, effective_state, effective_value
from orderly.services.reviews.events import ReviewEvent, watch_review
from orderly.services.reviews.filters import FILTER_HELP, CellFilter, filter_rows, filtered_count, find_column, parse_filter
from orderly.services.reviews.model_proposals import Proposer
from orderly.services.reviews.reviews import ANSWER_TYPES, Reviews, ReviewTable
from orderly.services.reviews.rows import RowAnswerer
from orderly.services.reviews.table_reading import TableReading, find_cell, named_column, read_table, row_passages
from orderly.services.reviews.typed_values import value_words

__all__ = [
    "ANSWER_TYPES",
    "FILTER_HELP",
    "CellAnswer",
    "CellFilter",
    "Proposer",
    "ReviewEvent",
    "ReviewTable",
    "Reviews",
    "RowAnswerer",
    "TableReading",
    "answer_cells",
    "columns_of_questions",
    "columns_of_sets",
    "columns_to_ask",
    "effective_note",
    "effective_state",
    "effective_value",
    "filter_rows",
    "filtered_count",
    "find_cell",
    "find_column",
    "named_column",
    "parse_filter",
    "propose_column",
    "read_table",
    "ready_columns",
    "row_passages",
    "value_words",
    "watch_review",
]
