"""Finds periods of time: "ninety (90) days", "12 months", "a four-year term", "month to month"."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from orderly.services.values.numbers import ORDINAL_WORDS, WORDS, parse_words

_UNITS = {"year": "Y", "annual": "Y", "anniversary": "Y", "month": "M", "week": "W", "day": "D", "quarter": "Q"}
_QUALIFIER = (
    r"(?:(?:full|consecutive|successive|additional|further|whole|more|calendar|business|working|clear|contract)\s{1,40}){0,4}"
)
_COUNT = rf"(?:(?P<words>{WORDS})|(?P<digits>(?<![\w.,$])\d{{1,4}})|(?P<ordinal>{ORDINAL_WORDS}))"
_AGAIN = r"(?:\s{0,40}\(\s{0,40}(?:(?P<again>\d{1,4})(?:st|nd|rd|th)?|[^()\d]{1,12})\s*\))?"
_COUNTED = re.compile(
    rf"{_COUNT}{_AGAIN}\s{{0,40}}-?\s{{0,40}}(?P<qualifier>{_QUALIFIER})(?P<unit>years?|months?|weeks?|days?|quarters?|anniversary)"
    r"(?:\(s\)|['’]s?(?!\w))?\b",
    re.I,
)
_PLAIN = re.compile(
    r"(?P<half>\bhalf[\s-]+(?:an?\s+|of\s+an?\s+)?year\b)|(?P<month>\b(?:month[\s-]to[\s-]month|monthly\s+(?:basis|periods?|terms?)))|"
    r"(?P<year>\b(?:year[\s-]to[\s-]year|(?:(?:an|one)\s+)?annual\s+(?:renewals?|extensions?|basis|periods?|terms?)|yearly\s+(?:basis|periods?|terms?)|"
    r"(?:a|another|an\s+additional|a\s+further)\s+year)\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Duration:
    """`text[start:end]`: `count` times `unit`, one of Y, M, W, D."""

    start: int
    end: int
    count: int
    unit: str
    business_days: bool = False
    agrees: bool = True
    """False if the number is written in words and in digits, and the two differ."""

    @property
    def iso(self) -> str:
        return f"P{self.count}{self.unit}"


def find_durations(text: str) -> list[Duration]:
    """Periods in text order."""
    found = [value for match in _COUNTED.finditer(text) if (value := _counted(match)) is not None]
    taken = {place for value in found for place in range(value.start, value.end)}
    for match in _PLAIN.finditer(text):
        if taken.isdisjoint(range(*match.span())):
            found.append(Duration(*match.span(), 6 if match["half"] else 1, "Y" if match["year"] else "M"))
    return sorted(found, key=lambda value: value.start)


def _counted(match: re.Match[str]) -> Duration | None:
    words = match["words"] or match["ordinal"]
    count = parse_words(words) if words else int(match["digits"])
    unit = next(code for name, code in _UNITS.items() if match["unit"].lower().startswith(name))
    # "the first year" is a point in time; only an anniversary is counted with an ordinal.
    if not count or (match["ordinal"] and not match["unit"].lower().startswith("anniv")):
        return None
    agrees = match["again"] is None or int(match["again"]) == count
    if unit == "Q":
        count, unit = 3 * count, "M"
    business = re.search(r"business|working", match["qualifier"], re.I) is not None
    return Duration(*match.span(), count, unit, business, agrees)


def add_duration(start: date, iso: str) -> date:
    """The day that follows `start` by a period in ISO 8601 form of one unit. A missing day becomes the last of its month."""
    match = re.fullmatch(r"P(\d+)([YMWD])", iso)
    if match is None:
        raise ValueError(f"{iso} is not a period of one unit.")
    count, unit = int(match[1]), match[2]
    if unit in "WD":
        return start + timedelta(days=count * (7 if unit == "W" else 1))
    months = start.year * 12 + start.month - 1 + count * (12 if unit == "Y" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))
