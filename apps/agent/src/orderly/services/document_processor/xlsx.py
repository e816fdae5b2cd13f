"""Reader for Excel: one page per sheet, one line per row, cells separated by tabs, numbers as formatted."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.office_pictures import request_pictures
from orderly.services.document_processor.office_zip import check_office_zip
from orderly.services.document_processor.xlsx_cells import format_cell

_DAMAGED = "The workbook is damaged and could not be read. Save it anew in Excel and upload it again."
_XLSX_ERRORS = (
    InvalidFileException,
    zipfile.BadZipFile,
    zlib.error,
    ParseError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    EOFError,
    OSError,
)
"""Errors raised by the libraries for malformed workbooks."""

_UNCOMPUTED = re.compile(rb"</f>\s*(?:<v\s*/>|<v></v>)?\s*</c>|<f[^>]*/>\s*</c>")
_COMMENT_TEXT = re.compile(r"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</(?:\w+:)?t>")


def read_xlsx(path: Path, limits: Limits) -> Draft:
    """Reads a workbook. Blocking. Raises PasswordProtected or Damaged."""
    check_office_zip(path, "workbook")
    try:
        # A stored file has a name without extension, which openpyxl refuses of a path.
        with path.open("rb") as file, closing(load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book:
            sheets = [sheet for sheet in book.worksheets]
            pages = [_page(number, sheet) for number, sheet in enumerate(sheets, 1)]
            parts = [(number, str(sheet._worksheet_path).lstrip("/")) for number, sheet in enumerate(sheets, 1)]
            hidden = [sheet.title for sheet in sheets if sheet.sheet_state != "visible"]
        comments, uncomputed = _read_comments(path)
        with zipfile.ZipFile(path) as archive:
            pictures = sum(name.startswith("xl/media/") for name in archive.namelist())
    except _XLSX_ERRORS as exc:
        raise Damaged(_DAMAGED) from exc
    draft = Draft("openpyxl", paged=True, pages=pages)
    if pictures:
        request_pictures(draft, path, parts)
        draft.details["pictures"] = pictures
    _report(draft, hidden, comments, uncomputed, pictures - len(draft.ocr))
    return draft


def _page(number: int, sheet: Any) -> PageDraft:
    sheet.reset_dimensions()  # the declared size may be a million empty rows
    rows = [row for row in _rows(sheet) if row]
    text = "\n".join([f"[Sheet: {sheet.title}]", *rows]) if rows else ""
    return PageDraft(number, text, label=sheet.title, flags=[] if sheet.sheet_state == "visible" else ["hidden_sheet"])


def _rows(sheet: Any) -> Iterator[str]:
    for row in sheet.iter_rows():
        yield "\t".join(format_cell(cell.value, cell.number_format) for cell in row if cell is not None).rstrip("\t")


def _read_comments(path: Path) -> tuple[list[str], bool]:
    """Comments, and whether a formula has no stored result."""
    comments: list[str] = []
    uncomputed = False
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if re.match(r"xl/(?:comments|threadedComments).*\.xml$", name):
                comments += _COMMENT_TEXT.findall(archive.read(name).decode("utf-8", "replace"))
            elif re.match(r"xl/worksheets/[^/]+\.xml$", name):
                uncomputed = uncomputed or _UNCOMPUTED.search(archive.read(name)) is not None
    return [comment for comment in comments if comment.strip()], uncomputed


def _report(draft: Draft, hidden: list[str], comments: list[str], uncomputed: bool, pictures: int) -> None:
    if pictures:
        draft.notes.append(f"Text inside pictures was not read: the workbook has {pictures}.")
    if hidden:
        draft.details["hidden_sheets"] = hidden
        draft.notes.append(f"Hidden in Excel, but read: {', '.join(hidden)}.")
    if comments:
        draft.details["comments"] = [{"text": comment} for comment in comments]
        draft.notes.append(f"The workbook has {len(comments)} comments, which are not part of its text.")
    if uncomputed:
        draft.incomplete.append("formulas were never calculated, so their cells are empty; open it in Excel and save it")
