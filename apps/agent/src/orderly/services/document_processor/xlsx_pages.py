"""Writes a sheet as a page of the cells that Excel shows. Those that it hides are kept apart with their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from openpyxl.styles.colors import COLOR_INDEX
from openpyxl.utils.cell import get_column_letter

from orderly.services.document_processor.drafts import PageDraft, struck_entry
from orderly.services.document_processor.office_markup import is_nearly_white
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
    white: list[tuple[str, str]] = field(default_factory=list)
    """White on white."""
    hidden: list[dict[str, object]] = field(default_factory=list)
    """Rows, columns and sheets that are hidden: number of the sheet, and text with its place."""


class CellStyles(NamedTuple):
    """Numbers of the cell styles that strike out, and of those that write white on white."""

    struck: frozenset[int]
    white: frozenset[int]


def cell_styles(book: Any) -> CellStyles:
    styles = list(enumerate(book._cell_styles))
    struck = frozenset(at for at, style in styles if book._fonts[style.fontId].strike)
    pale = [(at, style) for at, style in styles if _is_white(book._fonts[style.fontId].color)]
    return CellStyles(struck, frozenset(at for at, style in pale if _has_white_ground(book._fills[style.fillId])))


def _is_white(colour: Any) -> bool:
    """Whether a colour of openpyxl is nearly white, or the ground of the theme."""
    if colour is None or colour.tint:
        return False
    if colour.type == "theme":
        return bool(colour.theme == 0)
    return is_nearly_white(COLOR_INDEX[colour.indexed] if colour.type == "indexed" and colour.indexed < 64 else str(colour.rgb))


def _has_white_ground(fill: Any) -> bool:
    pattern = getattr(fill, "patternType", "gradient")
    return pattern in (None, "none") or (pattern == "solid" and _is_white(fill.fgColor))


def sheet_page(number: int, sheet: Any, facts: SheetFacts, styles: CellStyles, unseen: Unseen) -> PageDraft:
    sheet.reset_dimensions()  # the declared size may be a million empty rows
    writer = _SheetWriter(sheet.title, facts, styles, unseen)
    for at, row in enumerate(sheet.iter_rows(), 1):
        writer.write(at, row)
    if sheet.sheet_state != "visible":
        return hide_sheet(PageDraft(number, label=sheet.title), [*writer.lines, *writer.hidden], unseen)
    unseen.hidden += [{"page": number, "text": f"{sheet.title}, {line}"} for line in writer.hidden]
    text = "\n".join([f"[Sheet: {sheet.title}]", *writer.lines]) if writer.lines or writer.hidden else ""
    return PageDraft(number, text, label=sheet.title, flags=["hidden_cells"] if writer.hidden else [])


def hide_sheet(page: PageDraft, words: Sequence[str], unseen: Unseen) -> PageDraft:
    """Keeps the words of a hidden sheet apart. Its page names the sheet."""
    unseen.hidden += [{"page": page.number, "text": f"Hidden sheet {page.label}: {line}"} for line in words]
    page.text = f"[Hidden sheet: {page.label}]"
    page.flags = ["hidden_sheet"]
    return page


class _SheetWriter:
    def __init__(self, title: str, facts: SheetFacts, styles: CellStyles, unseen: Unseen) -> None:
        self.lines: list[str] = []
        self.hidden: list[str] = []
        self._title = title
        self._facts = facts
        self._struck = styles.struck
        self._white = frozenset[int]() if facts.coloured else styles.white
        self._unseen = unseen
        self._merged = Merged(facts.merged)
        self._plain = not (facts.columns or facts.rows or facts.merged or self._struck or self._white)

    def write(self, at: int, row: tuple[Any, ...]) -> None:
        line = "\t".join([self._shown(cell) for cell in row]).rstrip("\t") if self._plain else self._sorted(at, row)
        if line:
            self.lines.append(line)

    def _sorted(self, at: int, row: tuple[Any, ...]) -> str:
        """The cells of the row that are seen. The others are kept apart."""
        covered = self._merged.covered(at, len(row))
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
            elif text and self._white and getattr(cell, "_style_id", 0) in self._white:
                self._unseen.white.append((self._place(column, at), text))
                text = ""
            if at in self._facts.rows:
                apart.append(text)
            elif column not in self._facts.columns:
                seen.append(text)
            elif text:
                apart.append(text)
                columns.append(get_column_letter(column))
        if any(apart):
            where = f"row {at}" + (f", column{'s' if len(columns) > 1 else ''} {', '.join(columns)}" if columns else "")
            self.hidden.append(f"{where}: " + "\t".join(apart).rstrip("\t"))
        return "\t".join(seen).rstrip("\t")

    def _shown(self, cell: Any) -> str:
        value = cell.value
        if value is None or (self._facts.without_zeros and value == 0 and value is not False):
            return ""
        if self._facts.inline and cell.coordinate in self._facts.inline:
            value, gone = self._facts.inline[cell.coordinate]
            self._unseen.struck += [struck_entry(words, self._place(cell.column, cell.row)) for words in gone]
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
