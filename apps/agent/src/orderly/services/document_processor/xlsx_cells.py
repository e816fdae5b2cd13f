"""Writes a cell's value as Excel shows it in the cell's number format."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from math import isfinite

from orderly.services.document_processor.number_dates import write_date, write_duration
from orderly.services.document_processor.number_figures import general, write_figures
from orderly.services.document_processor.number_formats import section_for, sections_of, text_section
from orderly.services.text import drop_break_hints

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LONGEST_FORMAT = 255


def format_cell(value: object, number_format: str | None) -> str:
    """The displayed value as one line; empty for an empty cell, and for a value that its format does not show."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _text(value, number_format)
    if value is True or value is False:
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime | date | time):
        return _date(value, number_format or "")
    if isinstance(value, timedelta):
        return write_duration(value, sections_of(number_format or "[h]:mm:ss")[0])
    return " ".join(str(value).split())


def unescaped(text: str) -> str:
    """Text with the escapes of the file format resolved: "_x000D_" is a carriage return."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _text(value: str, number_format: str | None) -> str:
    text = " ".join(drop_break_hints(unescaped(value)).replace("\xa0", " ").split())
    if not number_format or number_format in ("General", "@") or len(number_format) > _LONGEST_FORMAT:
        return text
    section = text_section(sections_of(number_format))
    if section is None:
        return text
    return "".join(text if sign.text == "@" and sign.kind == "other" else sign.text for sign in section.signs).strip()


@lru_cache(maxsize=4096)  # a column of dates repeats them
def _date(value: date | time, number_format: str) -> str:
    return write_date(value, number_format, sections_of(number_format)[0])


def _number(value: float, number_format: str | None) -> str:
    if not number_format or number_format in ("General", "@") or len(number_format) > _LONGEST_FORMAT:
        return general(value)
    if not isfinite(value):
        return str(value)
    section, minus = section_for(value, sections_of(number_format))
    if section.is_time:
        return general(value)  # openpyxl reads dates as such; this is none
    text = " ".join(write_figures(abs(value), section).split())
    return f"-{text}" if minus and text else text
