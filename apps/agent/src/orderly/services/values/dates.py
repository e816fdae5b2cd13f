"""Finds dates and their parts, also where a blank stands for a part."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date

from orderly.services.values.numbers import ORDINAL_WORDS, YEAR_WORDS, parse_words, parse_year

EARLIEST, LATEST = 1800, 2200
"""Years. A number outside this range is not a year."""

_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_MONTH = r"\b(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_BLANK = r"(?:\[[_\s*●•.…xX]{0,40}\]|_[_\s]{0,80}|[●•]{1,20}|\[?\*{1,20}\]?|…{1,20}|\.{3,80})"
_ORDINAL = r"(?:\s*(?:st|nd|rd|t\s?h)\b)?"
_DAY = rf"(?:(?P<day>(?<![\d.,/-])[0-3]?\d){_ORDINAL}|(?P<day_word>{ORDINAL_WORDS})|(?P<no_day>{_BLANK}))"
_YEAR = rf"(?:(?P<year>(?:1[89]|2[01])\d\d)\b|(?P<year_word>{YEAR_WORDS})|(?P<no_year>(?:(?:19|20)\d?)?{_BLANK}))"
_IN_YEAR = r"(?:in\s+the\s+year\s+(?:of\s+our\s+lord\s+)?)?"

_DAY_FIRST = re.compile(
    rf"(?>{_DAY})\s*(?:day\s+)?(?:of\s+)?(?:the\s+month\s+of\s+)?{_MONTH}\s*+(?:,\s*+)?(?:of\s+)?{_IN_YEAR}{_YEAR}", re.I
)
_BLANK_MONTH = re.compile(rf"(?>{_DAY})\s*day\s+of\s+(?P<no_month>{_BLANK})\s*+(?:,\s*+)?{_IN_YEAR}{_YEAR}", re.I)
_MONTH_FIRST = re.compile(rf"{_MONTH}\s*{_DAY}\s*+(?:,\s*+)?(?:of\s+)?{_IN_YEAR}{_YEAR}", re.I)
_MONTH_ONLY = re.compile(rf"{_MONTH}\s*+(?:,\s*+)?(?:of\s+)?(?P<year>(?:1[89]|2[01])\d\d)\b", re.I)
_BLANK_DAY = re.compile(rf"(?P<no_day>(?>{_BLANK})),?\s*(?P<year>(?:19|20)\d\d)\b", re.I)
_ISO = re.compile(r"(?<![\w-])(?P<year>(?:1[89]|2[01])\d\d)-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?![\w-])")
_NUMERIC = re.compile(
    r"(?<![\w./-])(?P<one>[0-3]?\d)(?P<mark>[/.-])(?P<two>[0-3]?\d)(?P=mark)(?P<year>(?:19|20)\d\d|(?<!\.)\d\d)(?![\w/-]|\.\d)"
)
_STYLE_DAY = re.compile(rf"\b[0-3]?\d{_ORDINAL}\s+{_MONTH}\s*+(?:,\s*+)?(?:19|20)\d\d", re.I)
_STYLE_MONTH = re.compile(rf"{_MONTH}\s+[0-3]?\d{_ORDINAL}\s*+(?:,\s*+)?(?:19|20)\d\d", re.I)
_DAY_FIRST_PLACES = re.compile(
    r"\b(?:Australian?|New South Wales|NSW|Queensland|Pty|ACN|ABN|New Zealand|England|United Kingdom|Hong Kong|Singapore)\b"
)
_MONTH_FIRST_PLACES = re.compile(
    r"\b(?:Delaware|New York|California|Texas|Nevada|Florida|Massachusetts|Illinois|USA|U\.S\.|United States)(?!\w)"
)
_PATTERNS = (_DAY_FIRST, _BLANK_MONTH, _MONTH_FIRST, _MONTH_ONLY, _BLANK_DAY, _ISO)


@dataclass(frozen=True, slots=True)
class DateValue:
    """`text[start:end]`. None stands for a part that is blank or not written."""

    start: int
    end: int
    year: int | None
    month: int | None = None
    day: int | None = None
    ambiguous: bool = False
    """Whether day and month could be exchanged ("4/8/2020"), and the document does not show its order."""

    @property
    def iso(self) -> str | None:
        """As far as it is known: "2019-03-05", "2019-03" or "2019"; None without a year."""
        if self.year is None:
            return None
        month = "" if self.month is None else f"-{self.month:02}"
        return f"{self.year}{month}" + (f"-{self.day:02}" if month and self.day is not None else "")

    @property
    def partial(self) -> bool:
        return self.date is None

    @property
    def date(self) -> date | None:
        if self.year is None or self.month is None or self.day is None:
            return None
        return date(self.year, self.month, self.day)


def find_dates(text: str) -> list[DateValue]:
    """Dates in text order. Days and months of dates such as 4/8/2020 stand as the text writes its other dates."""
    spans: list[DateValue] = []
    taken: set[int] = set()
    impossible: set[int] = set()
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            value, places = _parse(match), range(*match.span())
            if value is None:
                impossible.update(places)
            elif taken.isdisjoint(places) and impossible.isdisjoint(places):
                spans.append(value)
                taken.update(places)
    numeric = list(_NUMERIC.finditer(text))
    day_first = _writes_day_first(text, numeric) if numeric else None
    for match in numeric:
        value = _parse_numeric(match, day_first)
        if value is not None and taken.isdisjoint(range(*match.span())):
            spans.append(value)
    return sorted(spans, key=lambda value: value.start)


def _parse(match: re.Match[str]) -> DateValue | None:
    parts = match.groupdict()
    year = _year(parts)
    named = parts.get("month")
    month = None if named is None else int(named) if named.isdigit() else _MONTHS[named.lower()]
    day = int(parts["day"]) if parts.get("day") else parse_words(parts["day_word"]) if parts.get("day_word") else None
    if year is None and (month is None or not parts.get("no_year")):
        return None
    value = DateValue(match.start(), match.end(), year, month, day)
    return value if _exists(value) else None


def _year(parts: dict[str, str | None]) -> int | None:
    if parts.get("year"):
        return int(parts["year"] or 0)
    year = parse_year(parts["year_word"] or "") if parts.get("year_word") else None
    return year if year is not None and EARLIEST <= year <= LATEST else None


def _exists(value: DateValue) -> bool:
    if value.month is not None and not 1 <= value.month <= 12:
        return False
    # A leap year stands for a year that is blank.
    longest = calendar.monthrange(value.year or 2000, value.month)[1] if value.month else 31
    return value.day is None or 1 <= value.day <= longest


def _parse_numeric(match: re.Match[str], day_first: bool | None) -> DateValue | None:
    one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
    if year < 100:
        year += 2000 if year < 50 else 1900
    ambiguous = one <= 12 and two <= 12 and one != two
    first = one > 12 or (ambiguous and day_first is not False)
    day, month = (one, two) if first else (two, one)
    value = DateValue(match.start(), match.end(), year, month, day)
    if not _exists(value):
        return None
    return replace(value, ambiguous=ambiguous and day_first is None)


def _writes_day_first(text: str, numeric: list[re.Match[str]]) -> bool | None:
    """Whether the text writes the day before the month, None if it does not show that."""
    days = sum(int(m["one"]) > 12 >= int(m["two"]) for m in numeric)
    months = sum(int(m["two"]) > 12 >= int(m["one"]) for m in numeric)
    if days == months:
        days, months = len(_STYLE_DAY.findall(text)), len(_STYLE_MONTH.findall(text))
    if days == months:
        days, months = len(_DAY_FIRST_PLACES.findall(text)), len(_MONTH_FIRST_PLACES.findall(text))
    return None if days == months else days > months
