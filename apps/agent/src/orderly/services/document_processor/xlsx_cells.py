"""Formats cell values by their number format, for formats used in contracts and ledgers."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]|_.|\*.')
_PLACEHOLDER = 0xF0000
"""First private-use code point for literals, whose digits are not part of the format."""

_NUMBER = re.compile(r"[#0?,]*[#0?](?:\.(?P<decimals>[0#?]+))?(?P<percent>\s*%)?")


def format_cell(value: object, number_format: str | None) -> str:
    """The displayed value as one line; empty for an empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, int | float):
        return _format_number(value, number_format or "General")
    return " ".join(str(value).replace("\xa0", " ").split())


def _format_number(value: float, number_format: str) -> str:
    section = number_format.split(";", maxsplit=1)[0]
    literals: list[str] = []

    def kept(match: re.Match[str]) -> str:
        literals.append(match[1] or match[2] or match[3] or "")
        return chr(_PLACEHOLDER + len(literals) - 1) if literals[-1] else ""

    bare = _LITERAL.sub(kept, section)
    found = _NUMBER.search(bare)
    if found is None or "E" in bare or "General" in bare or "/" in bare:
        return _format_general(value)
    percent = found["percent"] is not None
    places = len(found["decimals"] or "")
    amount = abs(Decimal(repr(value)) * (100 if percent else 1))
    digits = f"{amount:{',' if ',' in found[0] else ''}.{places}f}" + ("%" if percent else "")
    around = bare[: found.start()] + digits + bare[found.end() :]
    text = "".join(literals[ord(sign) - _PLACEHOLDER] if ord(sign) >= _PLACEHOLDER else sign for sign in around).strip()
    return f"-{text}" if value < 0 else text


def _format_general(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.15g}"
