"""Reader for Excel: one page per sheet, one line per row, cells separated by tabs, numbers as formatted."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, cast
from xml.etree.ElementTree import ParseError

from lxml import etree
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from orderly.errors import Damaged
from orderly.services.document_processor.docx_package import NotWalkable, Package
from orderly.services.document_processor.drafts import Draft, PageDraft, struck_entry
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.office_pictures import request_pictures
from orderly.services.document_processor.office_zip import check_office_zip, usual_package
from orderly.services.document_processor.xlsx_drawings import SheetObjects, chart_sheets, sheet_objects
from orderly.services.document_processor.xlsx_pages import Unseen, cell_styles, hide_sheet, named_places, sheet_page
from orderly.services.document_processor.xlsx_sheets import SheetFacts, sheet_facts
from orderly.services.document_processor.xlsx_strings import leave_out_struck

_DAMAGED = "The workbook is damaged and could not be read. Save it anew in Excel and upload it again."
_XLSX_ERRORS = (
    InvalidFileException,
    zipfile.BadZipFile,
    zlib.error,
    ParseError,
    etree.XMLSyntaxError,
    NotWalkable,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    EOFError,
    OSError,
    OverflowError,
)
"""Errors raised by the libraries for malformed workbooks."""


def read_xlsx(path: Path, limits: Limits) -> Draft:
    """Reads a workbook. Blocking. Raises PasswordProtected or Damaged."""
    check_office_zip(path, "workbook")
    unseen = Unseen()
    try:
        with usual_package(path) as file:
            # A stored file has a name without extension, which openpyxl refuses of a path.
            with closing(load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book:
                pages, parts, facts = _read_sheets(book, unseen)
            objects = _read_objects(file, pages, parts, unseen)
        with zipfile.ZipFile(path) as archive:
            pictures = sum(name.startswith("xl/media/") for name in archive.namelist())
    except _XLSX_ERRORS as exc:
        raise Damaged(_DAMAGED) from exc
    draft = Draft("openpyxl", paged=True, pages=list(pages))
    if pictures:
        request_pictures(draft, path, parts)
        draft.details["pictures"] = pictures
        if unread := pictures - len(draft.ocr):
            draft.notes.append(f"Text inside pictures was not read: the workbook has {unread}.")
    _report_cells(draft, pages, facts, unseen)
    _report_objects(draft, objects)
    return draft


def _read_sheets(book: Any, unseen: Unseen) -> tuple[list[PageDraft], list[tuple[int, str]], list[SheetFacts]]:
    """The pages of the sheets, the names of their parts, and what the parts state."""
    sheets = list(book.worksheets)
    unseen.struck += [struck_entry(text) for text in leave_out_struck(book)]
    styles = cell_styles(book)
    parts = [(number, str(sheet._worksheet_path).lstrip("/")) for number, sheet in enumerate(sheets, 1)]
    facts = [sheet_facts(book._archive.read(part)) for _, part in parts]
    pages = [sheet_page(number, sheet, facts[number - 1], styles, unseen) for number, sheet in enumerate(sheets, 1)]
    return pages, parts, facts


def _read_objects(file: BinaryIO, pages: list[PageDraft], parts: list[tuple[int, str]], unseen: Unseen) -> list[SheetObjects]:
    """Reads drawings and comments, and writes the words of drawings at the end of their sheets."""
    with zipfile.ZipFile(file) as archive:
        package = Package(archive)
        objects = [sheet_objects(package, part, str(page.label)) for (_, part), page in zip(parts, pages, strict=True)]
        for title, part in chart_sheets(package):
            pages.append(PageDraft(len(pages) + 1, label=title))
            objects.append(sheet_objects(package, part, title))
    for page, found in zip(pages, objects, strict=True):
        if "hidden_sheet" in page.flags:
            hide_sheet(page, found.texts, unseen)
            continue
        head = [page.text or f"[Sheet: {page.label}]"] if found.texts else [page.text]
        page.text = "\n\n".join([*head, *found.texts])
        page.flags += ["hidden_text"] if found.hidden else []
    return objects


def _report_cells(draft: Draft, pages: list[PageDraft], facts: list[SheetFacts], unseen: Unseen) -> None:
    for page, stated in zip(pages, facts, strict=False):  # sheets that are charts state nothing
        if "hidden_cells" in page.flags:
            draft.notes.append(
                f"Sheet “{page.label}” has hidden rows or columns, hidden: {stated.places()}. "
                "Their cells were kept out of the text."
            )
    if sheets := [str(page.label) for page in pages if "hidden_sheet" in page.flags]:
        draft.details["hidden_sheets"] = sheets
        draft.notes.append(f"Hidden in Excel, and kept out of the text: {', '.join(sheets)}.")
    _add_hidden(draft, unseen.hidden)
    for found, why in (
        (unseen.covered, "lie under a merged cell"),
        (unseen.suppressed, "have a format that shows nothing"),
        (unseen.white, "are white on white"),
    ):
        if found:
            draft.notes.append(f"Cells that {why} were kept out of the text: {named_places(found)}.")
            _add_hidden(draft, [f"{place}: {text}" for place, text in found])
    draft.report_struck(unseen.struck)
    if any(stated.uncomputed for stated in facts):
        draft.incomplete.append("formulas were never calculated, so their cells are empty; open it in Excel and save it")


def _report_objects(draft: Draft, objects: list[SheetObjects]) -> None:
    comments = [comment for found in objects for comment in found.comments]
    if comments:
        draft.details["comments"] = comments
        draft.notes.append(f"The workbook has {len(comments)} comments, which are not part of its text.")
    if hidden := [text for found in objects for text in found.hidden]:
        draft.notes.append(f"Hidden text was found {len(hidden)} times and kept out of the text.")
        _add_hidden(draft, hidden)
    draft.report_struck([struck_entry(text) for found in objects for text in found.struck])
    if unread := sum(found.unread for found in objects):
        draft.incomplete.append(f"drawings or comments in it could not be read ({unread})")


def _add_hidden(draft: Draft, found: Sequence[object]) -> None:
    if found:
        draft.details["hidden_text"] = [*cast(list[object], draft.details.get("hidden_text", [])), *found]
