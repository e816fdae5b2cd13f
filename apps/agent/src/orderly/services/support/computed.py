"""Figures that follow from others: a year between two dates, twelve monthly fees, some $770,000, less than half of 40 %."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations
from typing import Literal

from orderly.services.support.facts import Facts
from orderly.services.support.shares import Share
from orderly.services.support.spelt_measures import HALF_YEAR
from orderly.services.values import NUMBER_WORDS, DateValue, Duration, Money, add_duration, parse_words
from orderly.services.words import ANY_MONTH

FREQUENCY_OF: dict[str, frozenset[tuple[str, int]]] = {
    "annu": frozenset({("Y", 1), ("M", 12)}),
    "month": frozenset({("M", 1)}),
    "quarter": frozenset({("M", 3)}),
    "week": frozenset({("W", 1), ("D", 7)}),
    "fortnight": frozenset({("W", 2), ("D", 14)}),
    HALF_YEAR: frozenset({("M", 6)}),
    "second week": frozenset({("W", 2), ("D", 14)}),
    "second month": frozenset({("M", 2)}),
    "second year": frozenset({("Y", 2), ("M", 24)}),
}
"""Intervals that a frequency is."""
ROUNDED = Decimal("0.4")
"""Percentage points by which a share that is no whole number may differ: two-thirds, 66.7 %."""
_PER_YEAR = {"annu": 1, "quarter": 4, "month": 12, "fortnight": 26, "week": 52}
_DAYS = {"Y": Decimal("365.25"), "M": Decimal("30.44"), "W": Decimal(7), "D": Decimal(1)}
_LESS, _MORE = Decimal("0.6"), Decimal("1.7")
"""How far a figure may be from the round one that it is said to be just under or over."""
_MOST_COMPARED = 6
"""Figures of a kind, of which one may be a share of another."""
_BOUND = re.compile(
    r"\b(?:(?:just|well|slightly|somewhat)\s+)?(?:(?P<about>some|about|around|approximately|approx\.?|roughly|circa|close\s+to)|"
    r"(?P<below>less\s+than|fewer\s+than|under|below|short\s+of|almost|nearly|not\s+quite)|(?P<above>more\s+than|over|above))\s*(?:[A-Z]{2,3})?\s*\Z|(?P<sign>~)\s*\Z",
    re.IGNORECASE,
)
_OR_SO = re.compile(r"['’]?\s+or\s+(?:so|thereabouts)\b", re.IGNORECASE)
_INSTALMENTS = re.compile(
    rf"\b(?P<count>\d{{1,3}}|{NUMBER_WORDS})\s+(?:\w+\s+){{0,2}}?(?P<often>annual|yearly|quarterly|monthly|weekly|fortnightly|daily)\s+\w+s\b",
    re.IGNORECASE,
)
_INTERVAL = {"annual": ("Y", 1), "yearly": ("Y", 1), "quarterly": ("M", 3), "monthly": ("M", 1), "weekly": ("W", 1)}
_INTERVAL |= {"fortnightly": ("W", 2), "daily": ("D", 1)}
_DAY_LIST = re.compile(
    rf"\b(?P<days>\d{{1,2}}(?:\s*(?:,|and|&|,\s*and|to|-|–)\s*\d{{1,2}})+)(?:st|nd|rd|th)?\s+(?:{ANY_MONTH})\b"
)
_YEAR = re.compile(r"\b(?:1[789]|20)\d\d\b")
_HOURS = re.compile(r"\b(\d+|[a-z]+(?:-[a-z]+)?)(?:\s*\(\w+\))?\s+hours?\b", re.IGNORECASE)
_NEXT = re.compile(r"\s*(?:\w+\s+)?or\s+more\b", re.IGNORECASE)
_FROM_MORE = re.compile(r"\b(?:more\s+than|exceed\w*|at\s+most|maximum|up\s+to)\b", re.IGNORECASE)


def follows_as_period(said: Duration, facts: Facts, known: Facts) -> bool:
    """Whether a period explains one that the evidence gives, rounds it, or follows from its dates, hours or instalments."""
    days, written = said.count * _DAYS[said.unit], facts.text[said.start : said.end]
    for other in facts.durations:
        exact = any((other.count, other.unit) == (d.count, d.unit) for d in known.durations)
        if other is not said and exact and abs(days - other.count * _DAYS[other.unit]) <= max(Decimal(3), days / 20):
            return True
    is_round = said.count in (1, 6) or "half" in written.casefold()
    bound = _bound(facts.text, said.start, said.end)
    if (bound == "about" or (bound is not None and is_round)) and any(
        _fits(days, d.count * _DAYS[d.unit], bound, days / 20) for d in (*known.durations, *_instalments(known))
    ):
        return True
    if any((d.count * _DAYS[d.unit], d.unit in "WD") == (days, said.unit in "WD") for d in _instalments(known)):
        return True
    return _lies_between(said, days, facts, known) or _is_counted(said, known)


def _lies_between(said: Duration, days: Decimal, facts: Facts, known: Facts) -> bool:
    """Whether a period lies between two dates or years."""
    is_rough = _bound(facts.text, said.start, said.end) == "about"
    near = days / 10 if is_rough else 3 if said.unit in ("Y", "M") else 1
    dates = [*known.dates, *facts.dates]
    years = {value.year for value in dates if value.year is not None}
    year = next(iter(years)) if len(years) == 1 else None
    """The year of a date that leaves it out: "29 July to 31 October 1996"."""
    found = {d for d in (_day(value, year) for value in dates) if d is not None}
    if any(abs(abs((a - b).days) - days) <= near for a, b in combinations(found, 2)):
        return True
    numbers = {int(found) for found in _YEAR.findall(known.text)} if said.unit == "Y" and said.count > 1 else set()
    return any(abs(abs(a - b) - said.count) <= is_rough for a, b in combinations(numbers, 2))


def _is_counted(said: Duration, known: Facts) -> bool:
    """Whether days are so many hours, the days that the evidence lists, or a week's the day that it numbers."""
    if said.unit == "W":
        return said.count * 7 in known.values and re.search(r"\bday\b", known.text, re.IGNORECASE) is not None
    if said.unit != "D":
        return False
    lists = list(_DAY_LIST.finditer(known.text))
    listed = sum(_days_listed(match["days"]) for match in lists)
    alone = [date for date in known.dates if not any(m.start() < date.end and date.start < m.end() for m in lists)]
    dated = len({_day(date) for date in alone} - {None})
    return said.count in {listed, listed + dated} or any(_count(m[1]) == said.count * 24 for m in _HOURS.finditer(known.text))


def _days_listed(days: str) -> int:
    """How many days "3, 4 and 6" are, or "3 to 6"."""
    numbers = [int(number) for number in re.findall(r"\d+", days)]
    is_range = len(numbers) == 2 and re.search(r"to|-|–", days) is not None
    return numbers[1] - numbers[0] + 1 if is_range else len(numbers)


def _instalments(known: Facts) -> Iterator[Duration]:
    """How long payments last: six quarterly instalments take eighteen months."""
    for match in _INSTALMENTS.finditer(known.text):
        unit, each = _INTERVAL[match["often"].casefold()]
        if count := _count(match["count"]):
            yield Duration(*match.span(), count * each, unit)


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
    sums = [m.amount for m in known.money if m.currency in (None, said.currency)]
    if (bound := _bound(facts.text, said.start, said.end)) is not None and any(
        _fits(said.amount, amount, "about", amount / 50)
        and (bound == "about" or _significant(said.amount) < _significant(amount))
        for amount in sums
    ):
        return True
    ours = {_PER_YEAR[unit] for _, _, unit in facts.frequencies if unit in _PER_YEAR}
    theirs = {_PER_YEAR[unit] for _, _, unit in known.frequencies if unit in _PER_YEAR}
    return any(said.amount * a == amount * b and a != b for amount in sums for a in ours for b in theirs)


def follows_as_share(said: Share, facts: Facts, known: Facts) -> bool:
    """Whether a share is one of the evidence in another form, the distance of two, or the round one that it is near to."""
    shares = [share.percent for share in known.percents]
    if said.is_difference and any(abs(a - b) == said.percent for a, b in combinations(shares, 2)):
        return True
    bound = _bound(facts.text, said.start, said.end)
    if bound is not None and not re.search(r"\d|cent", facts.text[said.start : said.end]):
        return any(_fits(said.percent, share, bound, said.percent / 10) for share in (*shares, *_ratios(known)))
    if not shares and any(abs(said.percent - ratio) <= 1 for ratio in _ratios(known)):
        return True
    return any(abs(said.percent - share) <= ROUNDED * (said.percent % 1 != 0) for share in shares)


def _ratios(known: Facts) -> Iterator[Decimal]:
    """Each sum and period in percent of each greater one."""
    for amounts in ([m.amount for m in known.money], [d.count * _DAYS[d.unit] for d in known.durations]):
        if len(amounts) <= _MOST_COMPARED:
            yield from (100 * min(a, b) / max(a, b) for a, b in combinations(amounts, 2) if a and b)


def is_next_number(value: Decimal, after: str, known: Facts) -> bool:
    """Whether a number is "six or more" of evidence that says "more than five"."""
    return _NEXT.match(after) is not None and value - 1 in known.values and _FROM_MORE.search(known.text) is not None


def _bound(text: str, start: int, end: int) -> Literal["about", "below", "above"] | None:
    """What stands beside a figure of an inexact size."""
    if _OR_SO.match(text, end):
        return "about"
    found = _BOUND.search(text, max(start - 30, 0), start)
    if found is None:
        return None
    return "below" if found["below"] else "above" if found["above"] else "about"


def _significant(amount: Decimal) -> int:
    """Digits of an amount without the zeros at its end: the round figure that another is just below has fewer."""
    return len(amount.normalize().as_tuple().digits)


def _fits(said: Decimal, known: Decimal, bound: str, near: Decimal) -> bool:
    if bound == "about":
        return abs(said - known) <= near
    return _LESS * said <= known < said if bound == "below" else said < known <= _MORE * said


def _day(value: DateValue, year: int | None = None) -> date | None:
    year = value.year or year
    if year is None or value.month is None or value.day is None:
        return None
    try:
        return date(year, value.month, value.day)
    except ValueError:
        return None
