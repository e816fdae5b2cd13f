"""Figures that follow from others: a year between two dates, twelve monthly fees, some $770,000."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations

from orderly.services.support.facts import Facts
from orderly.services.values import DateValue, Duration, Money, add_duration, parse_words

FREQUENCY_OF: dict[str, frozenset[tuple[str, int]]] = {
    "annu": frozenset({("Y", 1), ("M", 12)}),
    "month": frozenset({("M", 1)}),
    "quarter": frozenset({("M", 3)}),
    "week": frozenset({("W", 1), ("D", 7)}),
    "fortnight": frozenset({("W", 2), ("D", 14)}),
}
"""Intervals that a frequency is."""
_PER_YEAR = {"annu": 1, "quarter": 4, "month": 12, "fortnight": 26, "week": 52}
_DAYS = {"Y": Decimal("365.25"), "M": Decimal("30.44"), "W": Decimal(7), "D": Decimal(1)}
_ROUNDED = re.compile(
    r"\b(?:some|about|around|approximately|approx\.?|roughly|nearly|almost|circa|just\s+(?:over|under|above|below))\s*(?:[A-Z]{2,3})?\s*\Z|~\s*\Z",
    re.IGNORECASE,
)
_HOURS = re.compile(r"\b(\d+|[a-z]+(?:-[a-z]+)?)(?:\s*\(\w+\))?\s+hours?\b", re.IGNORECASE)
_NEXT = re.compile(r"\s*(?:\w+\s+)?or\s+more\b", re.IGNORECASE)


def follows_as_period(said: Duration, facts: Facts, known: Facts) -> bool:
    """Whether a period explains one that the evidence gives, is the time between two of its dates, or the same in hours."""
    days = said.count * _DAYS[said.unit]
    for other in facts.durations:
        exact = any((other.count, other.unit) == (d.count, d.unit) for d in known.durations)
        if other is not said and exact and abs(days - other.count * _DAYS[other.unit]) <= max(Decimal(3), days / 20):
            return True
    near = 3 if said.unit in ("Y", "M") else 1
    dates = [*known.dates, *facts.dates]
    years = {value.year for value in dates if value.year is not None}
    year = next(iter(years)) if len(years) == 1 else None
    """The year of a date that leaves it out: "29 July to 31 October 1996"."""
    found = {d for d in (_day(value, year) for value in dates) if d is not None}
    if any(abs(abs((a - b).days) - days) <= near for a, b in combinations(found, 2)):
        return True
    return said.unit == "D" and any(_count(m[1]) == said.count * 24 for m in _HOURS.finditer(known.text))


def _count(written: str) -> int | None:
    return int(written) if written.isdigit() else parse_words(written.casefold())


def follows_as_date(said: DateValue, facts: Facts, known: Facts) -> bool:
    """Whether a date is one of the evidence, or that of the sentence, and a period of the evidence later, or the day before."""
    wanted = _day(said)
    starts = {day for value in (*known.dates, *facts.dates) if value is not said and (day := _day(value)) is not None}
    ends = {add_duration(start, period.iso) for start in starts for period in known.durations if not period.business_days}
    return wanted is not None and any(wanted in (end, end - timedelta(days=1)) for end in ends)


def follows_as_sum(said: Money, facts: Facts, known: Facts) -> bool:
    """Whether a sum rounds one of the evidence, or is that of the other period: $480 a year of $40 a month."""
    if _ROUNDED.search(facts.text[: said.start]) and any(
        abs(m.amount - said.amount) <= m.amount / 50 for m in known.money if m.currency in (None, said.currency)
    ):
        return True
    ours = {_PER_YEAR[unit] for _, _, unit in facts.frequencies if unit in _PER_YEAR}
    theirs = {_PER_YEAR[unit] for _, _, unit in known.frequencies if unit in _PER_YEAR}
    return any(
        said.amount * a == m.amount * b and a != b
        for m in known.money
        if m.currency in (None, said.currency)
        for a in ours
        for b in theirs
    )


def is_next_number(value: Decimal, after: str, known: Facts) -> bool:
    """Whether a number is "six or more" of evidence that says "more than five"."""
    return (
        _NEXT.match(after) is not None
        and value - 1 in known.values
        and re.search(r"\b(?:more\s+than|exceed\w*|at\s+most|maximum|up\s+to)\b", known.text, re.IGNORECASE) is not None
    )


def _day(value: DateValue, year: int | None = None) -> date | None:
    year = value.year or year
    if year is None or value.month is None or value.day is None:
        return None
    try:
        return date(year, value.month, value.day)
    except ValueError:
        return None
