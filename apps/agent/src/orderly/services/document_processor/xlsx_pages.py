"""Writes a sheet as a page: the cells that Excel shows, then, apart and marked, those in hidden rows and columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from openpyxl.utils.cell import get_column_letter

from orderly.services.document_processor.drafts import PageDraft, struck_entry
from orderly.services.document_processor.xlsx_cells import format_cell
from orderly.services.document_processor.xlsx_sheets import Merged, SheetFacts

_MAX_PLACES = 20


@dataclass(slots=True)
class Unseen:
    """Values of cells that Excel does not show as live words, with their places."""

    struck: list[dict[str, object]] = field(default_factory=list)
    covered: list[tuple[str, str]] = field(default_factory=list)
    """Under a merged cell: place and text."""
    suppressed: list[tuple[str, str]] = field(default_factory=list)
    """By a number format that shows nothing."""


def sheet_page(number: int, sheet: Any, facts: SheetFacts, struck_styles: frozenset[int], unseen: Unseen) -> PageDraft:
    sheet.reset_dimensions()  # the declared size may be a million empty rows
    writer = _SheetWriter(sheet.title, facts, struck_styles, unseen)
    for at, row in enumerate(sheet.iter_rows(), 1):
        writer.write(at, row)
    places = facts.places() if writer.hidden else ""
    apart = ["", f"[Hidden: {places}]", *writer.hidden] if places else []
    text = "\n".join([f"[Sheet: {sheet.title}]", *writer.lines, *apart]) if writer.lines or apart else ""
    flags = [] if sheet.sheet_state == "visible" else ["hidden_sheet"]
    return PageDraft(number, text, label=sheet.title, flags=[*flags, "hidden_cells"] if places else flags)


class _SheetWriter:
    def __init__(self, title: str, facts: SheetFacts, struck_styles: frozenset[int], unseen: Unseen) -> None:
        self.lines: list[str] = []
        self.hidden: list[str] = []
        self._title = title
        self._facts = facts
        self._struck = struck_styles
        self._unseen = unseen
        self._merged = Merged(facts.merged)
        self._plain = not (facts.columns or facts.rows or facts.merged or struck_styles)

    def write(self, at: int, row: tuple[Any, ...]) -> None:
        line = "\t".join([self._shown(cell) for cell in row]).rstrip("\t") if self._plain else self._sorted(at, row)
        if line:
            self.lines.append(line)

    def _sorted(self, at: int, row: tuple[Any, ...]) -> str:
        """The cells of the row that are seen. The others are kept apart."""
        covered = self._merged.covered(at)
        seen: list[str] = []
        apart: list[str] = []
        columns: list[str] = []
        for column, cell in enumerate(row, 1):
            text = self._shown(cell)
            if column in covered:
                self._unseen.covered += [(self._place(column, at), text)] if text else []
                text = ""
            elif text and self._struck and getattr(cell, "_style_id", 0) in self._struck:
                self._unseen.struck.append(struck_entry(text, self._place(column, at)))
                text = ""
            if at in self._facts.rows:
                apart.append(text)
            elif column not in self._facts.columns:
                seen.append(text)
            elif text:
                apart.append(text)
                columns.append(get_column_letter(column))
        if any(apart):
            where = f"Row {at}" + (f", column{'s' if len(columns) > 1 else ''} {', '.join(columns)}" if columns else "")
            self.hidden.append(f"{where}: " + "\t".join(apart).rstrip("\t"))
        return "\t".join(seen).rstrip("\t")

    def _shown(self, cell: Any) -> str:
        value = cell.value
        if value is None:
            return ""
        text = format_cell(value, cell.number_format)
        if not text and value != 0 and str(value).strip():
            full = format_cell(value, None)
            self._unseen.suppressed += [(self._place(cell.column, cell.row), full)] if full else []
        return text

    def _place(self, column: int, row: int) -> str:
        return f"{self._title}!{get_column_letter(column)}{row}"


def named_places(found: list[tuple[str, str]]) -> str:
    shown = ", ".join(place for place, _ in found[:_MAX_PLACES])
    return shown + (f" and {len(found) - _MAX_PLACES} more" if len(found) > _MAX_PLACES else "")
