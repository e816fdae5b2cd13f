"""Reads a review's table: filters, counts, pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from orderly.errors import DocumentNotFound, Invalid
from orderly.services.reviews.filters import filter_rows, filtered_count, find_column, parse_filter
from orderly.services.reviews.reviews import ReviewTable
from orderly.services.text import Passage
from orderly.store.functions.review_cells import Cell, ReviewRow
from orderly.store.functions.reviews import Column, Review


@dataclass(frozen=True, slots=True)
class TableReading:
    review: Review
    columns: Sequence[Column]
    """The columns to show."""
    rows: Sequence[ReviewRow]
    """One page of the rows for which every filter holds."""
    matching: int
    """Number of such rows."""
    undecided: Sequence[ReviewRow]
    """Rows for which a filter cannot be decided, because a value is open, partial or not found."""
    total: int
    offset: int
    filtered: bool
    counts: dict[str, int] | None = None
    """Documents by the values of a column, of the matching rows."""

    @property
    def more(self) -> int:
        """Rows after this page."""
        return max(self.matching - self.offset - len(self.rows), 0)


def read_table(
    table: ReviewTable, where: Sequence[str], columns: Sequence[str], count_by: str | None, limit: int, offset: int
) -> TableReading:
    """Raises Invalid for a filter or column that the review does not have."""
    known = table.review["columns"]
    filters = [parse_filter(text, known) for text in where]
    matching, undecided = filter_rows(table.rows, filters) if filters else (list(table.rows), [])
    shown = [named_column(name, known) for name in columns] or known
    first = max(offset, 0)
    return TableReading(
        review=table.review,
        columns=shown,
        rows=matching[first : first + max(limit, 1)],
        matching=len(matching),
        undecided=undecided,
        total=table.total,
        offset=first,
        filtered=bool(filters),
        counts=filtered_count(matching, named_column(count_by, known)) if count_by else None,
    )


def row_passages(row: ReviewRow, columns: Sequence[Column]) -> Iterator[Passage]:
    """The quotations of a row's cells, which an answer may quote."""
    shown = {column["id"] for column in columns}
    for cell in (cell for cell in row["cells"] if cell["column_id"] in shown):
        for citation in cell["citations"]:
            yield Passage(
                document_id=row["document"]["id"],
                document_name=row["document"]["filename"],
                revision_id=citation["revision_id"],
                id=citation["id"],
                start=citation["start"],
                end=citation["end"],
                text=citation["quote"],
                paged=citation["paged"],
                page_first=citation["page"],
                page_last=citation["page"],
                section_label=citation["section_label"],
                section_title=citation["section_title"],
                score=cell["confidence"],
            )


def named_column(name: str, columns: Sequence[Column]) -> Column:
    """As `find_column`. Raises Invalid with the titles that there are."""
    if (column := find_column(name, columns)) is None:
        raise Invalid(f"The review has no column {name}. Columns: {', '.join(c['title'] for c in columns)}.")
    return column


def find_cell(table: ReviewTable, document: str, column: Column) -> Cell:
    """The cell of a document, by its id or name, also without what a format adds to it.

    Raises:
        DocumentNotFound: No document of the review has this name.
        Invalid: Several have it, or the question was not put to it yet.
    """
    wanted = document.casefold()
    named = [r for r in table.rows if wanted in (r["document"]["id"], r["document"]["filename"].casefold())]
    named = named or [r for r in table.rows if PurePath(r["document"]["filename"]).stem.casefold() == wanted]
    if not named:
        raise DocumentNotFound(document)
    if len(named) > 1:
        raise Invalid(f"{len(named)} documents of the review are called {document}. Give its id.")
    cell = next((cell for cell in named[0]["cells"] if cell["column_id"] == column["id"]), None)
    if cell is None:
        raise Invalid("This cell has not been asked for yet. Run the review first.")
    return cell
