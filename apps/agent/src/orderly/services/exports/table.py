"""The table of an export: every cell with its valid value, its quotations and its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from orderly.services.reviews import ReviewTable, effective_note, effective_state, effective_value
from orderly.store.functions.review_cells import Cell, CellCitation, CellValue, ReviewedDocument
from orderly.store.functions.reviews import Column

STATES = {
    "queued": "not answered yet",
    "found": "found",
    "candidate": "not confirmed",
    "not_found": "nothing found",
    "failed": "failed",
    "stale": "stale",
    "accepted": "accepted",
    "corrected": "corrected by hand",
    "rejected": "rejected",
}
UNSETTLED = frozenset({"candidate", "stale", "queued", "failed"})
"""States without a confirmed value."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ExportCell:
    document: ReviewedDocument
    column: Column
    cell: Cell | None
    """None: the question was never put to this document."""

    @property
    def state(self) -> str:
        return "queued" if self.cell is None else effective_state(self.cell)

    @property
    def value(self) -> CellValue | None:
        return None if self.cell is None else effective_value(self.cell)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the valid value; empty if there is none."""
        return cast(Mapping[str, Any], self.value or {})

    @property
    def quotations(self) -> tuple[CellCitation, ...]:
        """Quotations of the answer; none if a person corrected or rejected it."""
        return () if self.cell is None or self.state in ("corrected", "rejected") else tuple(self.cell["citations"])

    @property
    def notes(self) -> str:
        """Conflicts, the computation, the notes of the answer and of the person, and parts that were not read."""
        if self.cell is None:
            return ""
        value, verdict, read = self.fields, self.cell["verdict"], self.cell["read"]
        incomplete = f"Not all of it was read: {read['incomplete']}" if read is not None and read["incomplete"] else ""
        parts = (
            value.get("computed"),
            value.get("conflict"),
            effective_note(self.cell),
            verdict and verdict["note"],
            incomplete,
        )
        return " ".join(dict.fromkeys(part for part in parts if part))


@dataclass(frozen=True, slots=True)
class ExportTable:
    name: str
    matter: str
    made: str
    """The line that says when, for whom and by what engine."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[ReviewedDocument, tuple[ExportCell, ...]], ...]

    def cells(self) -> Iterator[ExportCell]:
        for _, cells in self.rows:
            yield from cells


def export_table(table: ReviewTable, person: str, now: datetime) -> ExportTable:
    """`person`: who asks, whose rights decided which rows are in the table. `now`: in the firm's time zone."""
    review = table.review
    columns = tuple(review["columns"])
    rows = []
    for row in table.rows:
        by_column = {cell["column_id"]: cell for cell in row["cells"]}
        cells = tuple(ExportCell(row["document"], column, by_column.get(column["id"])) for column in columns)
        rows.append((row["document"], cells))
    engines = sorted({by for row in table.rows for cell in row["cells"] for by in (cell["engine"], cell["model"]) if by})
    made = (
        f"Exported {now:%d %B %Y, %H:%M %Z} for {person}; "
        f"{len(rows)} document{'' if len(rows) == 1 else 's'} that this person may see. "
        f"Answered by: {', '.join(engines) or 'nobody yet'}. Quotations are verified against the stored text; "
        "whether they settle a question is for a lawyer to judge."
    )
    return ExportTable(review["name"], review["matter_number"], made, columns, tuple(rows))


def place(citation: CellCitation) -> str:
    page = f"page {citation['page']}" if citation["paged"] else ""
    section = f"section {citation['section_label']}" if citation["section_label"] else ""
    return ", ".join(filter(None, (page, section))) or "in the text"


def is_without_value(cell: ExportCell) -> bool:
    return cell.value is None or cell.state == "not_found"


def shown(cell: ExportCell) -> str:
    """The value as a person reads it; without a value, the state."""
    value = cell.value
    return value["text"] if value is not None and not is_without_value(cell) else _without_value(cell)


def _without_value(cell: ExportCell) -> str:
    """An accepted answer without a value is that nothing was found."""
    return STATES["not_found" if cell.state == "accepted" else cell.state]


def typed(cell: ExportCell) -> str | float | date | bool:
    """The value for a spreadsheet: a date, a number, a period's days where it is one, else text."""
    value = cell.value
    if value is None or cell.state == "not_found":
        return _without_value(cell)
    iso, kind = value.get("iso"), value["type"]
    if kind == "date" and iso and len(iso) == len("2019-03-05"):
        return date.fromisoformat(iso)
    if kind in ("money", "number", "duration") and value.get("number") is not None:
        return float(value["number"] or 0)
    return value["text"]


def plain(text: str) -> str:
    """Text without control characters, which no file format holds."""
    return _CONTROL.sub("", text)


def escape_formula(text: str) -> str:
    """Text that a spreadsheet does not interpret as a formula."""
    text = plain(text)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def quoted(cell: ExportCell) -> str:
    return "\n".join(f"“{' '.join(citation['quote'].split())}” ({place(citation)})" for citation in cell.quotations)
