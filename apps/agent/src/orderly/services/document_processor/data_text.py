"""CSV and JSON: shown as they are typed, which is what a quotation is checked against; their form goes into the details."""

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
_SAMPLE = 64_000
_ROWS = 30
"""Characters and rows that show how a table is written."""


def read_csv(path: Path, limits: Limits) -> Draft:
    """Blocking. Raises Empty, or Unsupported for bytes that are no text."""
    draft = read_text(path, limits)
    rows = draft.pages[0].text.strip()[:_SAMPLE].split("\n")[:_ROWS]
    delimiter, columns = max(((sign, _columns(rows, sign)) for sign in _DELIMITERS), key=lambda found: _rank(found[1]))
    if len(columns[0]) < 2:
        draft.notes.append("No sign was found that parts the columns; the table was read as plain text.")
        return draft
    draft.reader = draft.reader.replace("text", "csv", 1)
    draft.details["delimiter"] = delimiter
    draft.details["columns"] = [name.strip() for name in columns[0]]
    return draft


def _columns(rows: list[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(rows, delimiter=delimiter, skipinitialspace=True)) or [[]]
    except csv.Error:
        return [[]]


def _rank(rows: list[list[str]]) -> tuple[float, int]:
    """The sign that parts every row into as many cells as the first, and into the most."""
    width = len(rows[0])
    return (sum(len(row) == width for row in rows) / len(rows) if width > 1 else 0.0, width)


def read_json(path: Path, limits: Limits) -> Draft:
    r"""Letters written as escapes ("\u00e9") are shown as letters; nothing else is changed. Blocking. Raises as `read_csv`."""
    draft = read_text(path, limits)
    page = draft.pages[0]
    draft.reader = draft.reader.replace("text", "json", 1)
    try:
        json.loads(page.text)
    except (ValueError, RecursionError):
        draft.notes.append("The JSON is not well-formed; it was read as plain text.")
        return draft
    page.text = _ESCAPES.sub(_letters, page.text)
    return draft


def _letters(match: re.Match[str]) -> str:
    """Escapes of signs that JSON must escape stay as they are."""
    start = match[0].index("\\u")
    shown = json.loads(f'"{match[0][start:]}"')
    if any(sign in '"\\' or ord(sign) < 32 or 0xD800 <= ord(sign) < 0xE000 for sign in shown):
        return match[0]
    return match[0][:start] + str(shown)
