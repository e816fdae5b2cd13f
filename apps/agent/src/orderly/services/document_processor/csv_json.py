"""Readers for CSV and JSON. The text stays as typed, so that quotations match; delimiter and columns go into the details."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from orderly.services.document_processor.drafts import Draft
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.plain_text import read_text

_ESCAPES = re.compile(r"(?<!\\)(?:\\\\)*(?:\\u[0-9a-fA-F]{4})+")
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARS = 64_000
_SAMPLE_ROWS = 30
"""Rows and characters from which the delimiter is detected."""


def read_csv(path: Path, limits: Limits) -> Draft:
    """Reads CSV. Blocking. Raises Empty, or Unsupported for bytes that are not text."""
    draft = read_text(path, limits)
    rows = draft.pages[0].text.strip()[:_SAMPLE_CHARS].split("\n")[:_SAMPLE_ROWS]
    delimiter, columns = max(
        ((sign, _split_rows(rows, sign)) for sign in _DELIMITERS), key=lambda found: _column_rank(found[1])
    )
    if len(columns[0]) < 2:
        draft.notes.append("No sign was found that parts the columns; the table was read as plain text.")
        return draft
    draft.reader = draft.reader.replace("text", "csv", 1)
    draft.details["delimiter"] = delimiter
    draft.details["columns"] = [name.strip() for name in columns[0]]
    return draft


def _split_rows(rows: list[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(rows, delimiter=delimiter, skipinitialspace=True)) or [[]]
    except csv.Error:
        return [[]]


def _column_rank(rows: list[list[str]]) -> tuple[float, int]:
    """Ranks a delimiter by the share of rows as wide as the first one, then by width."""
    width = len(rows[0])
    return (sum(len(row) == width for row in rows) / len(rows) if width > 1 else 0.0, width)


def read_json(path: Path, limits: Limits) -> Draft:
    r"""Reads JSON, with letters in place of escapes such as "\u00e9". Blocking. Raises as `read_csv`."""
    draft = read_text(path, limits)
    page = draft.pages[0]
    draft.reader = draft.reader.replace("text", "json", 1)
    try:
        json.loads(page.text)
    except (ValueError, RecursionError):
        draft.notes.append("The JSON is not well-formed; it was read as plain text.")
        return draft
    page.text = _ESCAPES.sub(_unescape, page.text)
    return draft


def _unescape(match: re.Match[str]) -> str:
    """Replaces escapes by their characters, except those that JSON must escape."""
    start = match[0].index("\\u")
    shown = json.loads(f'"{match[0][start:]}"')
    if any(sign in '"\\' or ord(sign) < 32 or 0xD800 <= ord(sign) < 0xE000 for sign in shown):
        return match[0]
    return match[0][:start] + str(shown)
